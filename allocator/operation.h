// The bracket around everything that touches the books: marks the thread busy,
// waits at the gate while the threads are stopped (quiesce.h), and keeps errno.
//
// Entering fails, and thread() is null, in a signal handler that interrupted an
// operation of the same thread, in calls that the C library makes while we are
// inside it, and in a new thread for which there is no memory: the allocator
// must then not be entered (see nested.h).
#ifndef HEAPTALLY_ALLOCATOR_OPERATION_H_
#define HEAPTALLY_ALLOCATOR_OPERATION_H_

#include <cerrno>

#include "accounting/arch.h"
#include "allocator/heap_thread.h"

namespace heaptally {

class Operation {
 public:
  Operation() : saved_errno_(errno) {
    HeapThread* const thread = HeapThread::Current();
    if (thread == nullptr) [[unlikely]] {
      EnterFirst();
      return;
    }
    if (thread->busy) [[unlikely]]
      return;
    thread->busy = 1;
    CompilerBarrier();
    thread_ = thread;
    if (thread->Demands(kStop | kDeferred)) [[unlikely]] {
      Attend();
    }
  }

  ~Operation() {
    if (thread_ != nullptr) Leave();
    errno = saved_errno_;
  }

  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  HeapThread* thread() const { return thread_; }

  // Asked where entering failed: false in a thread that has never been inside,
  // because there is no memory for its state.
  static bool MayBeInsideJemalloc();

 private:
  // The thread's first operation, or one of a thread without a state.
  void EnterFirst();

  // Waits at the gate; releases what signal handlers freed.
  void Attend();

  void Leave() {
    CompilerBarrier();
    thread_->busy = 0;
    if (is_spare_) [[unlikely]]
      LeaveSpare();
  }

  void LeaveSpare();

  HeapThread* thread_ = nullptr;
  int saved_errno_;
  bool is_spare_ = false;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_OPERATION_H_
