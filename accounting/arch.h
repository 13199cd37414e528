// What the counters need of the processor (x86-64): additions in one
// instruction, so that a signal handler on the same thread never loses one.
#ifndef HEAPTALLY_ACCOUNTING_ARCH_H_
#define HEAPTALLY_ACCOUNTING_ARCH_H_

#include <cstdint>

namespace heaptally {

// Adds to a counter that only this thread writes; atomic towards the signals
// of this thread, not towards other threads.
inline void AddOwn(uint64_t& counter, uint64_t amount) {
  asm volatile("addq %1, %0" : "+m"(counter) : "er"(amount) : "cc");
}

// As AddOwn; true if the counter, taken as signed, is then below zero.
inline bool SubtractOwnIsNegative(int64_t& counter, int64_t amount) {
  bool negative;
  asm volatile("subq %2, %0"
               : "+m"(counter), "=@ccs"(negative)
               : "er"(amount)
               : "cc");
  return negative;
}

// Adds to a counter that any thread may write.
inline void AddShared(uint64_t& counter, uint64_t amount) {
  asm volatile("lock addq %1, %0" : "+m"(counter) : "er"(amount) : "cc");
}

// Keeps the compiler, not the processor, from moving memory accesses.
inline void CompilerBarrier() { asm volatile("" ::: "memory"); }

// The processor's clock, of a constant rate.
inline uint64_t Ticks() { return __builtin_ia32_rdtsc(); }

inline void CpuPause() { asm volatile("pause"); }

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_ARCH_H_
