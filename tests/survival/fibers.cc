// ucontext fibers that allocate between switches, on stacks from malloc and
// from mmap, moved from thread to thread and thrown away in the middle.
#include <sys/mman.h>
#include <ucontext.h>

#include <stdexcept>

#include "tests/support/threads.h"

namespace {

constexpr size_t kStackSize = 64 << 10;
constexpr int kFibers = 20;

struct Fiber {
  ucontext_t context;
  ucontext_t* caller;
  char* stack;
  bool mapped;
  bool done;
};

thread_local Fiber* current = nullptr;

// Not inlined: a fiber may come back in another thread, whose `current` and
// errno live elsewhere.
__attribute__((noinline)) void Yield() {
  Fiber* fiber = current;
  swapcontext(&fiber->context, fiber->caller);
}

__attribute__((noinline)) void Work(int depth, Random& random) {
  void* block = malloc(random.Below(2000));
  if (depth > 0) {
    Work(depth - 1, random);
  } else {
    Yield();
    try {
      throw std::runtime_error("in a fiber");
    } catch (const std::exception&) {
      free(malloc(10));
    }
    Yield();
  }
  free(block);
}

void FiberMain(unsigned seed) {
  Random random(seed);
  for (int i = 0; i < 10; ++i) {
    Work(int(random.Below(15)), random);
    Yield();
  }
  current->done = true;
  Yield();
}

Fiber* MakeFiber(unsigned seed) {
  auto* fiber = static_cast<Fiber*>(calloc(1, sizeof(Fiber)));
  fiber->mapped = seed % 2 == 0;
  fiber->stack = static_cast<char*>(
      fiber->mapped ? mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                    : malloc(kStackSize));
  getcontext(&fiber->context);
  fiber->context.uc_stack = {fiber->stack, 0, kStackSize};
  makecontext(&fiber->context, reinterpret_cast<void (*)()>(FiberMain), 1,
              seed);
  return fiber;
}

void Destroy(Fiber* fiber) {
  if (fiber->mapped) {
    munmap(fiber->stack, kStackSize);
  } else {
    free(fiber->stack);
  }
  free(fiber);
}

void Resume(Fiber* fiber) {
  ucontext_t here;
  fiber->caller = &here;
  current = fiber;
  swapcontext(&here, &fiber->context);
  current = nullptr;
}

Fiber* fibers[kFibers];

// Each thread takes all fibers a step further.
void* StepAll(void*) {
  for (Fiber* fiber : fibers) {
    if (!fiber->done) {
      Resume(fiber);
    }
    free(malloc(100));
  }
  return nullptr;
}

}  // namespace

int main() {
  for (unsigned round = 0; round < 20; ++round) {
    for (unsigned i = 0; i < kFibers; ++i) {
      fibers[i] = MakeFiber(round * kFibers + i);
    }
    int steps = round % 3 == 0 ? 7 : 40;
    for (int step = 0; step < steps; ++step) {
      if (step % 2 == 0) {
        StepAll(nullptr);
      } else {
        JoinThread(StartThread(StepAll));
      }
    }
    for (Fiber* fiber : fibers) {
      Destroy(fiber);
    }
  }
  WriteText(1, "ok\n");
}
