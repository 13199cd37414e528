// What the runtime keeps for a thread, and the list of all threads. The memory
// is our own and is never unmapped: it outlives the thread (which may free
// blocks after its last destructor) and is handed to a later one.
//
// Fields are written by their thread only, except `attention` (by whoever holds
// a Quiesce) and everything, by the holder of a complete Quiesce. A signal
// handler on the thread may run in the middle of an operation; it finds `busy`
// set and keeps to additions in one instruction (arch.h).
#ifndef HEAPTALLY_ACCOUNTING_THREAD_STATE_H_
#define HEAPTALLY_ACCOUNTING_THREAD_STATE_H_

#include <atomic>
#include <cstdint>

#include "accounting/arch.h"
#include "accounting/process_counters.h"
#include "accounting/stack_walk.h"
#include "accounting/tally.h"

namespace heaptally {

// Bits of ThreadState::attention: what takes an operation off the fast path.
enum Attention : uint32_t {
  kStop = 1,      // wait at the gate (quiesce.h)
  kRecord = 2,    // the recording mode is not `counters`
  kDeferred = 4,  // blocks freed in a signal handler wait to be released
};

struct ThreadState {
  // The hot fields, in the order of their use. `busy` and `attention` are plain
  // so that a test of them is one instruction; compiler barriers stand around
  // their uses, and Quiesce brings the processors' barrier.
  uint8_t busy = 0;     // inside an operation
  uint8_t exiting = 0;  // its destructors have begun
  uint8_t has_exit_hook = 0;
  uint8_t forking = 0;  // waits to fork, maybe in the midst of an operation
  uint32_t attention = 0;
  // Usable bytes it may still grow by before it tells the others: kFlushBytes −
  // (its net bytes − told.usable).
  int64_t room = kFlushBytes;
  // The process stands above its peak when room is less than this.
  int64_t peak_room = kFlushBytes;
  // The side header of a block born now without a traceback or slop.
  uint64_t plain_header = 0;
  Tally allocated;
  uint64_t freed_blocks = 0;
  uint64_t freed_requested = 0;  // freed usable bytes follow from `room`

  Tally told;               // net, as the others know it
  int64_t sample_room = 0;  // requested bytes until the next sample
  uint64_t random = 0;      // state of the sampling generator
  std::atomic<void*> deferred{nullptr};  // linked through the blocks
  std::atomic<int> tid{0};               // 0: free to be adopted
  ThreadState* next = nullptr;           // in the list of all
  ThreadState* next_retired = nullptr;
  // See interval.h: allocations and frees when intervals last looked, and the
  // newest of them in which there were any.
  uint64_t seen_operations = 0;
  uint64_t last_active = 0;
  WalkCache walk;

  // Allocated − freed.
  Tally net() const {
    return {allocated.blocks - freed_blocks,
            allocated.requested - freed_requested,
            told.usable + static_cast<uint64_t>(kFlushBytes - room)};
  }

  void Demand(Attention bit) {
    __atomic_fetch_or(&attention, bit, __ATOMIC_SEQ_CST);
  }
  void Cease(Attention bit) {
    __atomic_fetch_and(&attention, ~uint32_t{bit}, __ATOMIC_SEQ_CST);
  }
  bool Demands(uint32_t bits) const {
    return (__atomic_load_n(&attention, __ATOMIC_RELAXED) & bits) != 0;
  }
  bool IsBusy() const { return __atomic_load_n(&busy, __ATOMIC_ACQUIRE) != 0; }
};

// Null until the thread's first operation.
extern constinit thread_local ThreadState* current_thread
    __attribute__((tls_model("initial-exec")));

// The list of all states. Adding needs the registry lock, which a Quiesce
// holds as well; reading needs nothing, since states never go away.
class ThreadRegistry {
 public:
  static ThreadState* first();

  // A retired state whose thread is gone, or null. Holds no lock on return.
  static ThreadState* Adopt(int tid);

  // Publishes a new state. Waits for a Quiesce in progress. With the second
  // one that allocates by itself, many() becomes true.
  static void Add(ThreadState* thread);

  // Publishes the state that serves threads without one of their own.
  static void AddSpare(ThreadState* thread);

  // There are several threads from now on.
  static void BecomeMany();

  // The thread has begun its last destructors; its state can be adopted once
  // the kernel no longer knows its tid.
  static void Retire(ThreadState* thread);

  // True from the moment that a second thread allocates: from then on counters
  // of tracebacks are added to atomically.
  static bool many() { return many_.load(std::memory_order_relaxed); }

  // Threads that have allocated and still live; the most of them at once since
  // ForgetMost, which is called under a Quiesce.
  static uint64_t LiveCount();
  static uint64_t MostAtOnce();
  static void ForgetMost();

  // How ThreadState::plain_header is made from an epoch; set before the first
  // state is. RenewPlainHeaders writes it anew in all; under a Quiesce.
  using PlainHeader = uint64_t (*)(uint32_t epoch);
  static void SetPlainHeader(PlainHeader make);
  static void RenewPlainHeaders();

  // In a fork's child: every state but `self` has lost its thread.
  static void ResetInForkChild(ThreadState* self);

  // The lock that Add and Quiesce share; a futex, safe in the control thread.
  // Who holds it has all signals blocked: a handler may fork, which takes it.
  static void Lock();
  static bool TryLock();
  static void Unlock();

 private:
  static std::atomic<bool> many_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_THREAD_STATE_H_
