// The strongest comparison: with the processor's trap flag set, walks the
// stack at EVERY instruction of a stretch of code, prologues, epilogues, PLT
// stubs, the dynamic linker and libc's assembly included.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ucontext.h>
#include <unwind.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "accounting/stack_walk.h"
#include "tests/unwind/shapes.h"

extern "C" void SetTrapFlag();
extern "C" void ClearTrapFlag();
asm(R"(
.text
.globl SetTrapFlag
.type SetTrapFlag, @function
SetTrapFlag:
  .cfi_startproc
  pushfq
  .cfi_adjust_cfa_offset 8
  orq $0x100, (%rsp)
  popfq
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
.size SetTrapFlag, . - SetTrapFlag
.globl ClearTrapFlag
.type ClearTrapFlag, @function
ClearTrapFlag:
  .cfi_startproc
  pushfq
  .cfi_adjust_cfa_offset 8
  andq $~0x100, (%rsp)
  popfq
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
.size ClearTrapFlag, . - ClearTrapFlag
)");

namespace heaptally::unwind {
namespace {

constexpr uint32_t kLimit = 256;

// What the steps have shown; written by the handler only.
struct Steps {
  uint64_t steps = 0;
  uint64_t frames = 0;
  uint64_t wrong = 0;
  uint64_t referee_faults = 0;
  uint64_t unresolved = 0;  // see NeedsLostRegister
  uintptr_t first_wrong = 0;
  WalkEnd first_end = {};
  uintptr_t ours[kLimit];
  uint32_t our_depth = 0;
  uintptr_t theirs[kLimit];
  uint32_t their_depth = 0;
};
Steps steps;
thread_local WalkCache cache;

struct Frames {
  uintptr_t pcs[kLimit];
  uint32_t count;
  bool found;
  uintptr_t from;
};

// Collects frames outwards from the interrupted one.
_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* argument) {
  auto* frames = static_cast<Frames*>(argument);
  int before = 0;
  const uintptr_t ip = _Unwind_GetIPInfo(context, &before);
  if (before != 0 && ip == frames->from) frames->found = true;
  if (frames->found && ip != 0 && frames->count < kLimit) {
    frames->pcs[frames->count++] = ip + (before != 0 ? 1 : 0);
  }
  return _URC_NO_REASON;
}

// True if the walk stopped at a frame whose CFA hangs on a register that no
// inner frame has saved yet: in the prologue of a realigned frame, and in the
// dynamic linker's trampoline. Of the interrupted frame we have three
// registers, as of a caller of malloc. By the time that malloc is called the
// register has been saved.
bool NeedsLostRegister() {
  const uintptr_t pc = cache.frames()[0].pc - 1;
  const UnwindRule::Kind kind = UnwindRules::Compile(pc).kind;
  // libgcc ends with a jump whose return address is in a register.
  return kind == UnwindRule::kCfaRegister ||
         (kind == UnwindRule::kUnknown && cache.depth() == 1);
}

bool SameFrames(const uintptr_t* pcs, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (cache.frames()[count - 1 - i].pc != pcs[i]) return false;
  }
  return true;
}

// While libgcc installs the context of a handler it overwrites the very slots
// that describe its frame, and its own unwinder may then follow them into
// nowhere. Ours must not.
sigjmp_buf referee_fault;

void OnFault(int) { siglongjmp(referee_fault, 1); }

void Compare(const CallerContext& context) {
  static thread_local Frames referee;
  referee.count = 0;
  referee.found = false;
  referee.from = context.pc - 1;
  const WalkEnd end = WalkStack(context, cache, kLimit);
  const uint32_t depth = cache.depth();
  ++steps.steps;
  steps.frames += depth;
  if (sigsetjmp(referee_fault, 0) != 0) {
    ++steps.referee_faults;
    return;
  }
  _Unwind_Backtrace(AddFrame, &referee);
  if (depth == referee.count && SameFrames(referee.pcs, depth)) return;
  if (end == WalkEnd::kNoRule && NeedsLostRegister() && depth < referee.count &&
      SameFrames(referee.pcs, depth)) {
    ++steps.unresolved;
    return;
  }
  if (steps.wrong++ == 0) {
    steps.first_wrong = context.pc - 1;
    steps.first_end = end;
    steps.our_depth = depth;
    steps.their_depth = referee.count;
    for (uint32_t i = 0; i < depth; ++i) {
      steps.ours[i] = cache.frames()[depth - 1 - i].pc;
    }
    memcpy(steps.theirs, referee.pcs, sizeof(referee.pcs));
  }
}

void OnTrap(int, siginfo_t*, void* argument) {
  const auto* registers = static_cast<ucontext_t*>(argument)->uc_mcontext.gregs;
  // The interrupted instruction is not done yet: pc + 1, as after a call.
  Compare({static_cast<uintptr_t>(registers[REG_RIP]) + 1,
           static_cast<uintptr_t>(registers[REG_RSP]),
           static_cast<uintptr_t>(registers[REG_RBP])});
}

class Stepping {
 public:
  explicit Stepping(int flags) {
    struct sigaction action = {};
    action.sa_sigaction = OnTrap;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(SIGTRAP, &action, &old_);
    struct sigaction fault = {};
    fault.sa_handler = OnFault;
    fault.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &fault, &old_fault_);
    SetTrapFlag();
  }
  ~Stepping() {
    ClearTrapFlag();
    sigaction(SIGTRAP, &old_, nullptr);
    sigaction(SIGSEGV, &old_fault_, nullptr);
  }

 private:
  struct sigaction old_;
  struct sigaction old_fault_;
};

std::string Describe() {
  std::string text = "at " + std::to_string(steps.first_wrong) + " reason " +
                     std::to_string(static_cast<uint32_t>(steps.first_end)) +
                     "\n";
  char line[400];
  for (uint32_t i = 0; i < 30; ++i) {
    if (i >= steps.our_depth && i >= steps.their_depth) break;
    Dl_info info = {};
    const uintptr_t pc = i < steps.our_depth ? steps.ours[i] : steps.theirs[i];
    dladdr(reinterpret_cast<void*>(pc - 1), &info);
    snprintf(line, sizeof(line), "  %#zx | %#zx  %s+%#zx %s\n",
             i < steps.our_depth ? steps.ours[i] : 0,
             i < steps.their_depth ? steps.theirs[i] : 0,
             info.dli_sname != nullptr ? info.dli_sname : "?",
             pc - reinterpret_cast<uintptr_t>(info.dli_fbase),
             info.dli_fname != nullptr ? info.dli_fname : "?");
    text += line;
  }
  return text;
}

class SingleSteps : public testing::Test {
 protected:
  void SetUp() override { steps = {}; }

  template <typename F>
  void Check(F function, uint64_t least_steps, int flags = 0) {
    {
      Stepping stepping(flags);
      function();
    }
    EXPECT_EQ(steps.wrong, 0u) << Describe();
    EXPECT_GE(steps.steps, least_steps);
    EXPECT_LE(steps.unresolved * 5, steps.steps) << steps.unresolved;
    EXPECT_LE(steps.referee_faults * 20, steps.steps);
    RecordProperty("steps", static_cast<int>(steps.steps));
  }
};

void Nothing() { asm volatile(""); }

TEST_F(SingleSteps, AgreeInEveryShapeOfFunction) {
#define HEAPTALLY_STEP(variant)                                               \
  if (std::string(#variant) != "o3_avx2" || __builtin_cpu_supports("avx2")) { \
    const ShapeSet set = variant::Shapes();                                   \
    for (size_t i = 0; i < set.count; ++i) {                                  \
      const bool throws =                                                     \
          std::string(set.shapes[i].name) == "rethrow" ||                     \
          std::string(set.shapes[i].name) == "noreturn call last" ||          \
          std::string(set.shapes[i].name) == "catch and destroy";             \
      if (throws) continue;                                                   \
      steps = {};                                                             \
      SCOPED_TRACE(std::string(#variant) + " " + set.shapes[i].name);         \
      Check([&] { set.shapes[i].run(Nothing, 2); }, 15);                      \
    }                                                                         \
  }
  HEAPTALLY_SHAPE_SETS(HEAPTALLY_STEP)
#undef HEAPTALLY_STEP
}

TEST_F(SingleSteps, AgreeWhileAnExceptionIsThrownAndCaught) {
  const ShapeSet set = o2_nofp::Shapes();
  for (size_t i = 0; i < set.count; ++i) {
    const std::string name = set.shapes[i].name;
    if (name != "catch and destroy" && name != "noreturn call last") continue;
    steps = {};
    Check([&] { set.shapes[i].run(Nothing, 1); }, 3000);
  }
}

TEST_F(SingleSteps, AgreeInsidePrintfAndItsFriends) {
  char text[256];
  Check(
      [&] {
        snprintf(text, sizeof(text), "%d %s %.3f %zx", 42, "text", 3.25,
                 size_t{99});
      },
      1000);
  EXPECT_STREQ(text, "42 text 3.250 63");
}

TEST_F(SingleSteps, AgreeInStringAndMemoryAssembly) {
  static char from[5000], to[5000];
  memset(from, 'x', sizeof(from) - 1);
  Check(
      [&] {
        for (size_t n : {0, 1, 7, 15, 16, 33, 64, 65, 127, 200, 1000, 4000}) {
          memcpy(to, from, n);
          memmove(to + 3, to, n);
          memset(to, 'y', n);
          asm volatile("" : : "r"(to) : "memory");
        }
        asm volatile("" : : "r"(strlen(from)), "r"(strchr(from, 'q')));
        asm volatile("" : : "r"(strcmp(from, to)), "r"(strrchr(from, 'z')));
      },
      500);
}

TEST_F(SingleSteps, AgreeInMallocAndFree) {
  Check(
      [] {
        for (size_t n : {1, 100, 3000, 200000}) {
          void* p = malloc(n);
          asm volatile("" : : "r"(p) : "memory");
          p = realloc(p, n * 3);
          free(p);
        }
      },
      500);
}

// The first call goes through the PLT's push and jump into the dynamic linker.
TEST_F(SingleSteps, AgreeInPltStubsAndTheLazyResolver) {
  volatile double x = 0.5;
  Check([&] { x = std::tgamma(x) + std::cbrt(x) + std::erfc(x); }, 1000);
  Check([&] { x = std::tgamma(x) + std::cbrt(x) + std::erfc(x); }, 50);
}

TEST_F(SingleSteps, AgreeInTheVdso) {
  timespec time;
  Check([&] { clock_gettime(CLOCK_MONOTONIC, &time); }, 10);
}

TEST_F(SingleSteps, AgreeOnAnAlternateSignalStack) {
  std::vector<char> memory(1 << 17);
  stack_t stack = {};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  stack_t old;
  sigaltstack(&stack, &old);
  char text[64];
  Check([&] { snprintf(text, sizeof(text), "%d", 5); }, 200, SA_ONSTACK);
  sigaltstack(&old, nullptr);
}

TEST_F(SingleSteps, AgreeInsideAnotherSignalHandler) {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    char text[64];
    snprintf(text, sizeof(text), "%d", 5);
  };
  struct sigaction old;
  sigaction(SIGUSR1, &action, &old);
  Check([] { raise(SIGUSR1); }, 300);
  sigaction(SIGUSR1, &old, nullptr);
}

}  // namespace
}  // namespace heaptally::unwind
