// Stacks that are not the thread's own, and code without unwind tables.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "accounting/walk_report.h"
#include "tests/unwind/stacks_testing.h"

namespace heaptally::unwind {
namespace {

ucontext_t main_context, fiber_contexts[3];
void FiberMain(int which) {
  for (int i = 0; i < 3; ++i) {
    Nest(which + i, CheckHere);
    swapcontext(&fiber_contexts[which], &main_context);
    Nest(which + i, CheckHere);
  }
}

NOINLINE void PrepareFiber(int which, void* stack, size_t size) {
  getcontext(&fiber_contexts[which]);
  fiber_contexts[which].uc_stack.ss_sp = stack;
  fiber_contexts[which].uc_stack.ss_size = size;
  fiber_contexts[which].uc_link = &main_context;
  makecontext(&fiber_contexts[which], reinterpret_cast<void (*)()>(FiberMain),
              1, which);
}

TEST_F(Stacks, FibersOfMakecontext) {
  constexpr size_t kSize = 1 << 16;
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> memory;
    for (int i = 0; i < 3; ++i) {
      void* stack = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      memory.push_back(stack);
      PrepareFiber(i, stack, kSize);
    }
    for (int turn = 0; turn < 4; ++turn) {
      for (int i = 0; i < 3; ++i) {
        swapcontext(&main_context, &fiber_contexts[i]);
        CheckHere();
      }
    }
    for (void* stack : memory) munmap(stack, kSize);
  }
  EXPECT_EQ(Findings().incomplete, 0u);
}

// What Boost.Context does: no unwind data in the switch, and the bottom frame
// was entered by a jump with an arbitrary return address below it.
extern "C" void SwitchStack(void** save, void* load);
asm(R"(
.text
.globl SwitchStack
.type SwitchStack, @function
SwitchStack:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size SwitchStack, . - SwitchStack
)");
void* main_sp;
void* fiber_sp;
std::vector<uintptr_t> fiber_walk;
WalkEnd fiber_end;

void WalkOnly() {
  CallerContext context;
  CallWithContext(
      &context,
      [](CallerContext* c, void*) { WalkStack(*c, TestCache(), 512); },
      nullptr);
  fiber_walk = LastWalk();
  fiber_end = LastEnd();
}

void BareFiber() {
  while (true) {
    Nest(3, WalkOnly);
    SwitchStack(&fiber_sp, main_sp);
  }
}

TEST_F(Stacks, BareFiberEndsWithAReasonAndStaysInsideItsStack) {
  constexpr size_t kSize = 1 << 14;
  // Unreadable memory on both sides.
  char* memory = static_cast<char*>(mmap(nullptr, kSize + 8192, PROT_NONE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char* stack = memory + 4096;
  ASSERT_EQ(mprotect(stack, kSize, PROT_READ | PROT_WRITE), 0);
  const uintptr_t in_stack = reinterpret_cast<uintptr_t>(stack);
  const uintptr_t garbages[] = {0, ~uintptr_t{0}, 0x1234567, in_stack};
  for (const uintptr_t garbage : garbages) {
    auto* top = reinterpret_cast<uintptr_t*>(stack + kSize);
    *--top = garbage;
    *--top = reinterpret_cast<uintptr_t>(BareFiber);
    for (int i = 0; i < 6; ++i) *--top = garbage;
    fiber_sp = top;
    for (int i = 0; i < 3; ++i) {
      SwitchStack(&main_sp, fiber_sp);
      EXPECT_GE(fiber_walk.size(), 5u);
      EXPECT_TRUE(fiber_end == WalkEnd::kNoRule ||
                  fiber_end == WalkEnd::kComplete ||
                  fiber_end == WalkEnd::kBadFrame)
          << static_cast<uint32_t>(fiber_end);
      CheckHere();
    }
  }
  munmap(memory, kSize + 8192);
}

// mov %rsp,%rbp frames, or none, around a call of the function in rdi.
class JitCode {
 public:
  explicit JitCode(bool frame_pointer) {
    static const unsigned char kFramed[] = {0x55,              // push %rbp
                                            0x48, 0x89, 0xe5,  // mov %rsp, %rbp
                                            0xff, 0xd7,        // call *%rdi
                                            0x5d,              // pop %rbp
                                            0xc3};             // ret
    static const unsigned char kBare[] = {0x55,                // push %rbp
                                          0x48, 0xc7, 0xc5, 1,
                                          0,    0,    0,  // mov $1, %rbp
                                          0xff, 0xd7,     // call *%rdi
                                          0x5d,           // pop %rbp
                                          0xc3};          // ret
    code_ = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (frame_pointer) {
      memcpy(code_, kFramed, sizeof(kFramed));
    } else {
      memcpy(code_, kBare, sizeof(kBare));
    }
  }
  ~JitCode() { munmap(code_, 4096); }
  void operator()(void (*f)()) const {
    reinterpret_cast<void (*)(void (*)())>(code_)(f);
  }
  bool Holds(uintptr_t pc) const {
    return pc - reinterpret_cast<uintptr_t>(code_) < 4096;
  }

 private:
  void* code_;
};

TEST_F(Stacks, JitCodeWithFramePointersIsWalkedThrough) {
  CheckHere();
  const size_t here = LastWalk().size();
  JitCode jit(true);
  for (int i = 0; i < 3; ++i) {
    jit(WalkOnly);
    EXPECT_EQ(fiber_end, WalkEnd::kComplete);
    ASSERT_GE(fiber_walk.size(), here + 1);
    EXPECT_TRUE(jit.Holds(fiber_walk[1]));
  }
}

TEST_F(Stacks, JitCodeWithoutFramePointersEndsTheWalk) {
  CheckHere();
  JitCode jit(false);
  for (int i = 0; i < 3; ++i) {
    jit(WalkOnly);
    EXPECT_EQ(fiber_end, WalkEnd::kNoRule);
    ASSERT_EQ(fiber_walk.size(), 2u);
    EXPECT_TRUE(jit.Holds(fiber_walk[1]));
  }
}

// The same address without and then with an object: see also the test of
// dlopen. Here the same page holds other code at the second time.
TEST_F(Stacks, ChangedJitCodeIsSeenAfresh) {
  CheckHere();
  JitCode first(true);
  first(WalkOnly);
  EXPECT_EQ(fiber_end, WalkEnd::kComplete);
  first.~JitCode();
  new (&first) JitCode(false);
  first(WalkOnly);
  EXPECT_EQ(fiber_end, WalkEnd::kNoRule);
}

TEST_F(Stacks, UnreadableStackPointerIsForeign) {
  CheckHere();
  WalkCache& cache = TestCache();
  for (uintptr_t sp :
       {uintptr_t{0}, uintptr_t{8}, uintptr_t{4096}, ~uintptr_t{7},
        uintptr_t{1} << 60, reinterpret_cast<uintptr_t>(&cache) | 1}) {
    const CallerContext context{reinterpret_cast<uintptr_t>(&WalkOnly) + 5, sp,
                                sp};
    EXPECT_EQ(WalkStack(context, cache, 512), WalkEnd::kForeignStack);
    EXPECT_EQ(cache.depth(), 0u);
  }
  CheckHere();
}

TEST_F(Stacks, GarbageRegistersNeverFault) {
  CheckHere();
  CallerContext context;
  CallWithContext(
      &context,
      [](CallerContext* c, void*) {
        uint64_t random = 88172645463325252u;
        for (int i = 0; i < 20000; ++i) {
          random ^= random << 13, random ^= random >> 7, random ^= random << 17;
          CallerContext odd = *c;
          if (i % 3 == 0) odd.fp = random;
          if (i % 3 == 1) odd.pc = c->pc + random % 100000;
          if (i % 3 == 2) odd.sp = c->sp + random % 100000 * 8;
          WalkStack(odd, TestCache(), 512);
        }
      },
      nullptr);
  CheckHere();
}

TEST_F(Stacks, DepthLimitKeepsTheInnermostFrames) {
  static std::vector<uintptr_t> whole;
  static WalkCache limited;
  for (uint32_t limit : {1u, 2u, 10u, 30u}) {
    for (int depth : {0, 5, 20, 21, 40, 39, 38, 3, 25, 100, 60}) {
      Nest(depth, [limit] {
        CheckHere();
        CallerContext context;
        struct Arguments {
          uint32_t limit;
        } arguments{limit};
        CallWithContext(
            &context,
            [](CallerContext* c, void* p) {
              const uint32_t n = static_cast<Arguments*>(p)->limit;
              uintptr_t scratch[128];
              const ScratchWalk walk = WalkFromScratch(*c, scratch, n);
              const WalkEnd end = WalkStack(*c, limited, n);
              EXPECT_EQ(end, walk.end);
              ASSERT_EQ(limited.depth(), walk.depth);
              EXPECT_LE(limited.depth(), n);
              for (uint32_t i = 0; i < walk.depth; ++i) {
                EXPECT_EQ(limited.frames()[walk.depth - 1 - i].pc, scratch[i]);
              }
              limited.MarkNodesKnown();
            },
            &arguments);
      });
    }
  }
  limited.Release();
}

TEST_F(Stacks, WalksInSmallThreadStacks) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 15);
  pthread_t thread;
  static WalkEnd end;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void*) -> void* {
                  WalkOnly();
                  end = fiber_end;
                  TestCache().Release();
                  return nullptr;
                },
                nullptr),
            0);
  pthread_join(thread, nullptr);
  EXPECT_EQ(end, WalkEnd::kComplete);
  CheckHere();
}

// A cache handed from one thread to the next, as thread states are.
TEST_F(Stacks, CacheReusedByAnotherThread) {
  static WalkCache shared;
  for (int i = 0; i < 20; ++i) {
    std::thread([] {
      CallerContext context;
      CallWithContext(
          &context,
          [](CallerContext* c, void*) {
            uintptr_t pcs[64];
            const ScratchWalk walk = WalkFromScratch(*c, pcs, 64);
            EXPECT_EQ(WalkStack(*c, shared, 64), WalkEnd::kComplete);
            EXPECT_EQ(shared.depth(), walk.depth);
          },
          nullptr);
    }).join();
  }
  shared.Release();
  CheckHere();
}

}  // namespace
}  // namespace heaptally::unwind
