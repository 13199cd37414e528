// Stops every thread of the process at the boundary of an allocator operation,
// so that all books are exact while it lasts. Used for the capture's fork, the
// program's own fork, mode switches, table growth and resets.
//
// How: a thread marks itself busy for the length of an operation; the stopper
// sets kStop in each thread's attention word, issues a process-wide memory
// barrier and waits until nobody is busy. Threads that begin an operation
// meanwhile wait on a futex. A thread that never finishes its operation (a
// signal handler that jumped out of malloc, a stopped thread) makes the
// attempt end after the timeout with complete() == false.
//
// Thread-safe; may be used in a thread that is itself inside an operation (it
// does not wait for itself) and in the control thread. Not reentrant.
#ifndef HEAPTALLY_ACCOUNTING_QUIESCE_H_
#define HEAPTALLY_ACCOUNTING_QUIESCE_H_

#include <cstdint>

namespace heaptally {

struct ThreadState;

class Quiesce {
 public:
  enum class Wait {
    kBlock,  // wait for another stopper to finish
    kTry,    // give up at once if there is another one
  };

  // `timeout_ms` bounds the wait for busy threads.
  explicit Quiesce(int timeout_ms = 1000, Wait wait = Wait::kBlock);
  ~Quiesce() { Release(); }
  Quiesce(const Quiesce&) = delete;
  Quiesce& operator=(const Quiesce&) = delete;

  // Everybody stands still at a boundary.
  bool complete() const { return complete_; }
  // False only with Wait::kTry: nobody was stopped.
  bool acquired() const { return acquired_; }

  // Lets the threads go on; the destructor does it too.
  void Release();

  // In the child of a fork made while a Quiesce was held: forgets the other
  // threads' waiting and opens the gate. The parent's object must not be used.
  static void ResetInForkChild(ThreadState* self);

 private:
  bool acquired_ = false;
  bool complete_ = false;
};

// Called by a thread at the start of an operation that found kStop set; the
// thread must not be busy. Returns once the gate is open.
void WaitForGate();

// Registers with the kernel for the process-wide barrier. Once at start and
// once in a fork's child.
void InitQuiesce();

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_QUIESCE_H_
