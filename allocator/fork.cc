// The program's own fork. The books and jemalloc must be whole in the child, so
// all threads are stopped at the boundary of an operation while it is made.
//
// Order of locks, outermost first: the C library's list of streams, the turn to
// fork (glibc runs the handlers of several forks at once), the gate,
// jemalloc's. glibc takes its list after the handlers, and a thread that holds
// it may be waiting for memory: so it is taken here first (it can be taken
// twice by one thread). Without this, and in stock jemalloc, a fork can hang
// while another thread flushes a stream.
//
// Inside a signal handler that interrupted an operation of this thread,
// jemalloc's own handlers are left out: it may hold a lock that they take, and
// both copies of the thread will go on to release it. They are left out as well
// when another thread could not be stopped, since that one may hold a lock;
// the child then makes jemalloc's locks anew. All signals are blocked from the
// first of these locks to the last, so that no handler forks in between.
#include <linux/futex.h>
#include <pthread.h>

#include <atomic>
#include <new>

#include "accounting/quiesce.h"
#include "accounting/sys.h"
#include "accounting/sys_io.h"
#include "accounting/thread_state.h"
#include "allocator/header_store.h"
#include "allocator/heap_thread.h"
#include "allocator/jemalloc.h"
#include "allocator/operation.h"
#include "allocator/runtime.h"

extern "C" {
// Exported by glibc since 2.2.5.
__attribute__((weak)) void _IO_list_lock();
__attribute__((weak)) void _IO_list_unlock();
// Since 2.32.
extern __attribute__((weak)) char __libc_single_threaded;
}

namespace heaptally {
namespace {

// The thread whose turn it is to fork; 0: nobody's. All below is its own.
std::atomic<int> turn{0};
uint64_t signals = 0;  // its mask; all are blocked, since handlers may fork

alignas(Quiesce) char stop_memory[sizeof(Quiesce)];
Quiesce* stop = nullptr;
bool inside_operation = false;
bool ask_jemalloc = false;  // its handlers run before and after
bool locked_streams = false;

ForkChildHook child_hook = nullptr;

void TakeTurn(int tid) {
  int seen = 0;
  while (!turn.compare_exchange_strong(seen, tid)) {
    sys::Call(SYS_futex, sys::Arg(&turn), FUTEX_WAIT_PRIVATE,
              static_cast<uintptr_t>(seen), 0);
    seen = 0;
  }
}

void EndTurn() {
  turn.store(0);
  sys::Call(SYS_futex, sys::Arg(&turn), FUTEX_WAKE_PRIVATE, 1);
}

bool HasThreads() {
  return &__libc_single_threaded == nullptr || !__libc_single_threaded;
}

// In the child jemalloc's handler would set its thread up, and wait for locks
// that other threads held.
void StartThread() {
  Operation operation;
  if (operation.thread() != nullptr) jemalloc::StartThread();
}

void BeforeFork() {
  StartThread();
  uint64_t before = 0;
  sys::SignalsBlocked::Mask(&sys::kAllSignals, &before);
  ThreadState* const self = current_thread;
  if (self != nullptr) self->forking = 1;
  const bool streams = HasThreads() && _IO_list_lock != nullptr;
  if (streams) _IO_list_lock();
  TakeTurn(sys::GetTid());
  signals = before;
  stop = new (stop_memory) Quiesce(1000);
  locked_streams = streams;
  inside_operation = self != nullptr && self->busy;
  const jemalloc::ForkHandlers& handlers = jemalloc::GetForkHandlers();
  ask_jemalloc =
      handlers.prepare != nullptr && !inside_operation && stop->complete();
  if (ask_jemalloc) handlers.prepare();
}

void InParent() {
  if (turn.load() != sys::GetTid()) return;
  ThreadState* const self = current_thread;
  if (ask_jemalloc) jemalloc::GetForkHandlers().parent();
  if (self != nullptr) self->forking = 0;
  const bool streams = locked_streams;
  const uint64_t before = signals;
  stop->Release();
  EndTurn();
  if (streams) _IO_list_unlock();
  sys::SignalsBlocked::Mask(&before, nullptr);
}

void InChild() {
  ThreadState* const self = current_thread;
  if (self != nullptr) {
    self->forking = 0;
    self->tid.store(sys::GetTid(), std::memory_order_relaxed);
  }
  const jemalloc::ForkHandlers& handlers = jemalloc::GetForkHandlers();
  if (handlers.child != nullptr && !inside_operation) handlers.child();
  HeaderStore::ResetInForkChild();
  Quiesce::ResetInForkChild(self);
  turn.store(0);
  ResetRuntimeInForkChild();
  if (child_hook != nullptr) child_hook();
  sys::SignalsBlocked::Mask(&signals, nullptr);
}

}  // namespace

void InitForkHandlers() { pthread_atfork(BeforeFork, InParent, InChild); }

void SetForkChildHook(ForkChildHook hook) { child_hook = hook; }

}  // namespace heaptally
