// Where arrays of side headers come from and go back to. An array serves one
// page; its length depends on the bin. Lock-free; memory from OwnMemory, never
// unmapped, so that reading a stale array is harmless.
#ifndef HEAPTALLY_ALLOCATOR_HEADER_STORE_H_
#define HEAPTALLY_ALLOCATOR_HEADER_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "allocator/size_class.h"

namespace heaptally {

// A stack of equal pieces, linked through their first word, with a count in
// the upper bits of the head against a piece that was taken and put back
// meanwhile.
class FreeStack {
 public:
  void Push(uint64_t* piece) {
    uint64_t head = head_.load(std::memory_order_relaxed);
    uint64_t next;
    do {
      *piece = head & kAddress;
      next = (head & ~kAddress) + kTag + reinterpret_cast<uintptr_t>(piece);
    } while (!head_.compare_exchange_weak(head, next,
                                          std::memory_order_acq_rel));
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
        *piece = 0;
        return piece;
      }
    }
  }

 private:
  static constexpr uint64_t kTag = uint64_t{1} << 48;
  static constexpr uint64_t kAddress = kTag - 1;
  std::atomic<uint64_t> head_{0};
};

class HeaderStore {
 public:
  // An array of zeros for a page of `bin`; null when memory is refused.
  static uint64_t* Take(uint32_t bin);

  // Takes back an array whose headers are all zero.
  static void Release(uint64_t* headers, uint32_t bin);
};

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_HEADER_STORE_H_
