#include "allocator/operation.h"

#include <linux/futex.h>

#include "accounting/quiesce.h"
#include "accounting/sys.h"
#include "accounting/sys_io.h"
#include "allocator/jemalloc.h"
#include "allocator/runtime.h"

namespace heaptally {
namespace {

// Guards the spare state; held for one operation. 0 free, 1 held.
std::atomic<uint32_t> spare_lock{0};

// Where a thread stands with its first operation. The loader runs resolvers of
// indirect functions before it has filled in thread-local storage, which then
// reads as zero: such calls, and those made while in EnterFirst, are nested
// ones.
enum Entry : uint32_t { kNoStorageYet = 0, kReady = 1, kEntering = 2 };
constinit thread_local Entry entry __attribute__((tls_model("initial-exec"))) =
    kReady;

void ReleaseDeferred(HeapThread* thread) {
  thread->Cease(kDeferred);
  void* block = thread->deferred.exchange(nullptr, std::memory_order_acquire);
  while (block != nullptr) {
    void* const next = *static_cast<void**>(block);
    jemalloc::Free(block);
    block = next;
  }
}

// Sets jemalloc up for this thread; false if there is no memory for that. When
// memory is scarce the other threads stand still meanwhile, lest they take it.
bool StartJemallocThread() {
  switch (jemalloc::RoomForThread()) {
    case jemalloc::Room::kPlenty:
      return true;
    case jemalloc::Room::kNone:
      return false;
    case jemalloc::Room::kScarce:
      break;
  }
  Quiesce stop;
  if (jemalloc::RoomForThread() == jemalloc::Room::kNone) return false;
  jemalloc::StartThread();
  return true;
}

}  // namespace

bool Operation::MayBeInsideJemalloc() {
  return current_thread != nullptr || entry != kReady;
}

void Operation::EnterFirst() {
  if (entry != kReady || !InitRuntime()) return;
  // A handler must not find this thread half set up, holding the registry's
  // lock: it may fork, which takes that lock.
  const sys::SignalsBlocked no_handlers;
  entry = kEntering;
  if (!StartJemallocThread()) {
    entry = kReady;
    return;
  }
  HeapThread* thread = HeapThread::Current();  // Set if a handler came first.
  if (thread == nullptr) thread = HeapThread::Register();
  if (thread == nullptr) {
    thread = HeapThread::Spare();
    ThreadRegistry::BecomeMany();
    while (spare_lock.exchange(1, std::memory_order_acquire) != 0) {
      sys::Call(SYS_sched_yield);
    }
    thread->tid.store(sys::GetTid(), std::memory_order_relaxed);
    current_thread = thread;
    is_spare_ = true;
  }
  thread->busy = 1;
  CompilerBarrier();
  thread_ = thread;
  Attend();
  if (!is_spare_) thread->HookExit();
  entry = kReady;
}

void Operation::LeaveSpare() {
  thread_->tid.store(0, std::memory_order_relaxed);
  current_thread = nullptr;
  spare_lock.store(0, std::memory_order_release);
}

void Operation::Attend() {
  while (thread_->Demands(kStop)) {
    thread_->busy = 0;
    WaitForGate();
    thread_->busy = 1;
    CompilerBarrier();
  }
  if (thread_->Demands(kDeferred)) {
    ReleaseDeferred(thread_);
  }
}

}  // namespace heaptally
