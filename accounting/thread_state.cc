#include "accounting/thread_state.h"

#include <errno.h>
#include <linux/futex.h>

#include "accounting/quiesce.h"
#include "accounting/recording.h"
#include "accounting/sys.h"
#include "accounting/sys_io.h"

namespace heaptally {

constinit thread_local ThreadState* current_thread
    __attribute__((tls_model("initial-exec"))) = nullptr;

std::atomic<bool> ThreadRegistry::many_{false};

namespace {

std::atomic<ThreadState*> all_threads{nullptr};
bool has_own_thread = false;  // guarded by the registry lock

// Oldest first. Guarded by the registry lock.
ThreadState* retired_head = nullptr;
ThreadState* retired_tail = nullptr;

ThreadRegistry::PlainHeader make_plain_header = nullptr;

// Threads that have allocated and live, and the most of them at once. Changed
// under the registry lock.
std::atomic<uint64_t> live_threads{0};
std::atomic<uint64_t> most_threads{0};

// 0 free, 1 held, 2 held with waiters.
std::atomic<uint32_t> lock_word{0};
uint64_t holders_signals = 0;  // its mask before; guarded by the lock

void CountOneMore() {
  const uint64_t live = live_threads.load(std::memory_order_relaxed) + 1;
  live_threads.store(live, std::memory_order_relaxed);
  if (live > most_threads.load(std::memory_order_relaxed)) {
    most_threads.store(live, std::memory_order_relaxed);
  }
}

bool ThreadIsGone(int tid) {
  if (tid == 0) return true;
  return sys::Call(SYS_tgkill, static_cast<uintptr_t>(sys::GetPid()),
                   static_cast<uintptr_t>(tid), 0) == -ESRCH;
}

void Prepare(ThreadState* thread, int tid) {
  thread->exiting = 0;
  thread->has_exit_hook = 0;
  thread->tid.store(tid, std::memory_order_relaxed);
  thread->plain_header = make_plain_header(Recording::epoch());
  if (Recording::mode() != RecordingMode::kCounters) {
    thread->Demand(kRecord);
  }
}

}  // namespace

ThreadState* ThreadRegistry::first() {
  return all_threads.load(std::memory_order_acquire);
}

void ThreadRegistry::SetPlainHeader(PlainHeader make) {
  make_plain_header = make;
}

void ThreadRegistry::RenewPlainHeaders() {
  for (ThreadState* t = first(); t != nullptr; t = t->next) {
    t->plain_header = make_plain_header(Recording::epoch());
  }
}

void ThreadRegistry::Lock() {
  uint64_t signals = 0;
  sys::SignalsBlocked::Mask(&sys::kAllSignals, &signals);
  uint32_t seen = 0;
  if (!lock_word.compare_exchange_strong(seen, 1, std::memory_order_acquire)) {
    while (lock_word.exchange(2, std::memory_order_acquire) != 0) {
      sys::Call(SYS_futex, sys::Arg(&lock_word), FUTEX_WAIT_PRIVATE, 2, 0);
    }
  }
  holders_signals = signals;
}

bool ThreadRegistry::TryLock() {
  uint64_t signals = 0;
  sys::SignalsBlocked::Mask(&sys::kAllSignals, &signals);
  uint32_t seen = 0;
  if (!lock_word.compare_exchange_strong(seen, 1, std::memory_order_acquire)) {
    sys::SignalsBlocked::Mask(&signals, nullptr);
    return false;
  }
  holders_signals = signals;
  return true;
}

void ThreadRegistry::Unlock() {
  const uint64_t signals = holders_signals;
  if (lock_word.exchange(0, std::memory_order_release) == 2) {
    sys::Call(SYS_futex, sys::Arg(&lock_word), FUTEX_WAKE_PRIVATE, 1);
  }
  sys::SignalsBlocked::Mask(&signals, nullptr);
}

ThreadState* ThreadRegistry::Adopt(int tid) {
  Lock();
  ThreadState* thread = retired_head;
  if (thread != nullptr &&
      ThreadIsGone(thread->tid.load(std::memory_order_relaxed))) {
    retired_head = thread->next_retired;
    if (retired_head == nullptr) retired_tail = nullptr;
    thread->next_retired = nullptr;
    Prepare(thread, tid);
    CountOneMore();
  } else {
    thread = nullptr;
  }
  Unlock();
  return thread;
}

void ThreadRegistry::BecomeMany() {
  if (many()) return;
  // The first thread adds to the tracebacks' counters without a lock prefix
  // and may be doing so right now.
  Quiesce stop;
  many_.store(true, std::memory_order_relaxed);
}

void ThreadRegistry::AddSpare(ThreadState* thread) {
  Lock();
  Prepare(thread, 0);
  thread->next = all_threads.load(std::memory_order_relaxed);
  all_threads.store(thread, std::memory_order_release);
  Unlock();
}

void ThreadRegistry::Add(ThreadState* thread) {
  Lock();
  const bool second = has_own_thread;
  has_own_thread = true;
  Unlock();
  if (second) BecomeMany();
  Lock();
  Prepare(thread, thread->tid.load(std::memory_order_relaxed));
  CountOneMore();
  thread->next = all_threads.load(std::memory_order_relaxed);
  all_threads.store(thread, std::memory_order_release);
  Unlock();
}

void ThreadRegistry::Retire(ThreadState* thread) {
  Lock();
  thread->next_retired = nullptr;
  if (retired_tail != nullptr) {
    retired_tail->next_retired = thread;
  } else {
    retired_head = thread;
  }
  retired_tail = thread;
  live_threads.fetch_sub(1, std::memory_order_relaxed);
  Unlock();
}

uint64_t ThreadRegistry::LiveCount() {
  return live_threads.load(std::memory_order_relaxed);
}

uint64_t ThreadRegistry::MostAtOnce() {
  return most_threads.load(std::memory_order_relaxed);
}

void ThreadRegistry::ForgetMost() {
  most_threads.store(LiveCount(), std::memory_order_relaxed);
}

void ThreadRegistry::ResetInForkChild(ThreadState* self) {
  lock_word.store(0, std::memory_order_relaxed);
  retired_head = nullptr;
  retired_tail = nullptr;
  live_threads.store(self != nullptr ? 1 : 0, std::memory_order_relaxed);
  for (ThreadState* t = first(); t != nullptr; t = t->next) {
    if (t == self) continue;
    t->busy = 0;
    t->forking = 0;
    t->tid.store(0, std::memory_order_relaxed);
    t->Cease(kStop);
    t->next_retired = nullptr;
    if (retired_tail != nullptr) {
      retired_tail->next_retired = t;
    } else {
      retired_head = t;
    }
    retired_tail = t;
  }
}

}  // namespace heaptally
