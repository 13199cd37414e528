#include "accounting/quiesce.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <time.h>

#include <atomic>

#include "accounting/sys.h"
#include "accounting/thread_state.h"

namespace heaptally {
namespace {

// 1 while the gate is closed; waited on as a futex.
std::atomic<uint32_t> gate_closed{0};
bool has_membarrier = false;

// A waiting thread goes on after this time: it may hold a lock of the program
// that the one who closed the gate needs.
constexpr int kGatePatienceSeconds = 2;

// The state of the calling thread. The control thread has no state and no
// thread-local storage of its own: it sees another thread's.
ThreadState* Self() {
  ThreadState* const thread = current_thread;
  const bool own = thread != nullptr &&
                   thread->tid.load(std::memory_order_relaxed) == sys::GetTid();
  return own ? thread : nullptr;
}

void Sleep(long nanoseconds) {
  timespec t{0, nanoseconds};
  sys::Call(SYS_nanosleep, sys::Arg(&t));
}

uint64_t Milliseconds() {
  timespec t;
  sys::Call(SYS_clock_gettime, CLOCK_MONOTONIC, sys::Arg(&t));
  return static_cast<uint64_t>(t.tv_sec) * 1000 +
         static_cast<uint64_t>(t.tv_nsec) / 1000000;
}

// After this every thread either sees kStop at its next operation or shows
// that it is busy now.
void BarrierInAllThreads() {
  if (has_membarrier) {
    sys::Call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  } else {
    Sleep(20'000'000);  // far longer than a store can stay unseen
  }
}

bool WaitUntilIdle(ThreadState* thread, uint64_t deadline) {
  for (int spins = 0; thread->IsBusy(); ++spins) {
    if (spins < 200) {
      CpuPause();
      continue;
    }
    // One that waits in a signal handler for us to be done will not finish.
    if (thread->forking || Milliseconds() > deadline) return false;
    Sleep(20'000);
  }
  return true;
}

}  // namespace

void InitQuiesce() {
  has_membarrier = !sys::Failed(
      sys::Call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
}

Quiesce::Quiesce(int timeout_ms, Wait wait) {
  if (wait == Wait::kTry) {
    if (!ThreadRegistry::TryLock()) return;
  } else {
    ThreadRegistry::Lock();
  }
  acquired_ = true;
  gate_closed.store(1, std::memory_order_seq_cst);
  ThreadState* const self = Self();
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    if (t != self) t->Demand(kStop);
  }
  BarrierInAllThreads();
  const uint64_t deadline = Milliseconds() + static_cast<uint64_t>(timeout_ms);
  complete_ = true;
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    if (t != self && !WaitUntilIdle(t, deadline)) complete_ = false;
  }
}

void Quiesce::Release() {
  if (!acquired_) return;
  acquired_ = false;
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    t->Cease(kStop);
  }
  gate_closed.store(0, std::memory_order_seq_cst);
  sys::Call(SYS_futex, sys::Arg(&gate_closed), FUTEX_WAKE_PRIVATE, 0x7fffffff);
  ThreadRegistry::Unlock();
}

void Quiesce::ResetInForkChild(ThreadState* self) {
  gate_closed.store(0, std::memory_order_relaxed);
  ThreadRegistry::ResetInForkChild(self);
  InitQuiesce();
}

void WaitForGate() {
  timespec patience{kGatePatienceSeconds, 0};
  while (gate_closed.load(std::memory_order_acquire) != 0) {
    const intptr_t result =
        sys::Call(SYS_futex, sys::Arg(&gate_closed), FUTEX_WAIT_PRIVATE, 1,
                  sys::Arg(&patience));
    if (result == -110 /* ETIMEDOUT */) {
      ThreadState* const self = current_thread;
      self->Cease(kStop);
      return;
    }
  }
}

}  // namespace heaptally
