// Which addresses of a stack may be read.
//
// A range is known readable because it was probed, page by page, by a system
// call that fails instead of faulting; nothing is concluded from unwind rules
// or from what libc believes the stack to be. A thread's own stack is known to
// stay, so what was probed once stays known; of other stacks (fibers,
// coroutines, signal stacks) only the current one is remembered. No
// allocation, no locks, no errno; safe in signal handlers. Per-thread.
#ifndef HEAPTALLY_ACCOUNTING_STACK_BOUNDS_H_
#define HEAPTALLY_ACCOUNTING_STACK_BOUNDS_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

// True if the word at `address` (a multiple of 8) can be read.
bool IsReadable(uintptr_t address);

// True if `sp` is where the kernel let the process begin: no caller can be
// further out.
bool IsBottomOfProcess(uintptr_t sp);

struct StackRange {
  uintptr_t low = 0;
  uintptr_t high = 0;  // one past the end

  bool Holds(uintptr_t address) const { return address - low < high - low; }
};

// Zero-initialised memory is a valid empty object.
class StackBounds {
 public:
  // The range to walk in when the stack pointer is `sp`; empty if nothing can
  // be read there. Extends what is known as needed.
  StackRange RangeFor(uintptr_t sp) {
    if (own_.Holds(sp)) return own_;
    if (other_.Holds(sp)) return other_;
    return Probe(sp);
  }

  // Extends the range that holds `sp` upwards until it holds `address`, if
  // that can be read and is not absurdly far; gives the range as it then is.
  StackRange Extend(uintptr_t sp, uintptr_t address);

  // To be called first in a walk: if this memory now serves another thread,
  // drops what was known and returns true.
  bool EnterThread() {
    uintptr_t self;
    asm volatile("mov %%fs:0, %0" : "=r"(self));
    if (self == thread_) [[likely]]
      return false;
    Reset(self);
    return true;
  }

 private:
  StackRange Probe(uintptr_t sp);
  void Reset(uintptr_t thread);

  StackRange own_;
  StackRange other_;
  uintptr_t own_top_ = 0;  // the thread's stack ends at or below this
  uintptr_t thread_ = 0;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_STACK_BOUNDS_H_
