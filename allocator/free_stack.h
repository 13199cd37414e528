// A lock-free stack of equal pieces, linked through their first word, with a
// count in the upper bits of the head against a piece that was taken and put
// back meanwhile. Pieces are never unmapped. Safe in signal handlers.
#ifndef HEAPTALLY_ALLOCATOR_FREE_STACK_H_
#define HEAPTALLY_ALLOCATOR_FREE_STACK_H_

#include <atomic>
#include <cstdint>

namespace heaptally {

class FreeStack {
 public:
  void Push(uint64_t* piece) {
    uint64_t head = head_.load(std::memory_order_relaxed);
    uint64_t next;
    do {
      __atomic_store_n(piece, head & kAddress, __ATOMIC_RELAXED);
      next = (head & ~kAddress) + kTag + reinterpret_cast<uintptr_t>(piece);
    } while (
        !head_.compare_exchange_weak(head, next, std::memory_order_acq_rel));
  }

  // Null when empty. The piece's first word is set to zero.
  uint64_t* Pop() {
    uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      auto* piece = reinterpret_cast<uint64_t*>(head & kAddress);
      if (piece == nullptr) return nullptr;
      const uint64_t link = __atomic_load_n(piece, __ATOMIC_RELAXED);
      const uint64_t next = (head & ~kAddress) + kTag + (link & kAddress);
      if (head_.compare_exchange_weak(head, next, std::memory_order_acq_rel)) {
        __atomic_store_n(piece, 0, __ATOMIC_RELAXED);
        return piece;
      }
    }
  }

 private:
  static constexpr uint64_t kTag = uint64_t{1} << 48;
  static constexpr uint64_t kAddress = kTag - 1;
  std::atomic<uint64_t> head_{0};
};

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_FREE_STACK_H_
