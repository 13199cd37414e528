// From an address to the side header of the block that begins there.
//
// Two levels, keyed by address: a static array of 1 GiB regions, and for each
// region an array with one PageEntry a page. An entry names the array of side
// headers of the blocks that begin in the page (one for each block slot), their
// bin, and where the first one begins; for a page in which a large block begins
// it names that block's LargeHeader. Look-ups are lock-free and may run
// anywhere; Install is lock-free and must run inside an operation.
//
// A page's entry stays when its last block is gone. The next block of another
// bin that appears there swaps the array: all headers of the old one are zero
// by then, because free clears a header before jemalloc gets the block back.
#ifndef HEAPTALLY_ALLOCATOR_PAGE_MAP_H_
#define HEAPTALLY_ALLOCATOR_PAGE_MAP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "allocator/large_header.h"
#include "allocator/side_header.h"
#include "allocator/size_class.h"

namespace heaptally {

// Zero: no block of ours has ever begun in the page (or a large one that is
// gone).
class PageEntry {
 public:
  constexpr PageEntry() = default;
  constexpr explicit PageEntry(uint64_t word) : word_(word) {}

  // `first` is the offset of the page's first block, a multiple of 16.
  static PageEntry Make(const void* headers, uint32_t bin, uint32_t first) {
    return PageEntry(reinterpret_cast<uintptr_t>(headers) << 16 |
                     uint64_t{first / 16} << 8 | bin);
  }

  uint64_t word() const { return word_; }
  bool empty() const { return word_ == 0; }
  uint32_t bin() const { return static_cast<uint8_t>(word_); }
  uint32_t first() const { return static_cast<uint8_t>(word_ >> 8) * 16u; }
  uint64_t* headers() const { return reinterpret_cast<uint64_t*>(word_ >> 16); }
  LargeHeader* large() const {
    return reinterpret_cast<LargeHeader*>(word_ >> 16);
  }

 private:
  uint64_t word_ = 0;
};
static_assert(kBinCount <= 256);

class PageMap {
 public:
  static constexpr unsigned kRegionShift = 30;
  static constexpr size_t kPagesPerRegion = (1u << kRegionShift) / kPageSize;
  static constexpr size_t kRegions = size_t{1} << (47 - kRegionShift);

  using Region = std::atomic<uint64_t>[kPagesPerRegion];

  // The entry of the page of `p`, any address of user space.
  static PageEntry Lookup(const void* p) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(p);
    const std::atomic<uint64_t>* region =
        regions_[address >> kRegionShift].load(std::memory_order_relaxed);
    if (region == nullptr) [[unlikely]]
      return PageEntry();
    return PageEntry(region[address / kPageSize % kPagesPerRegion].load(
        std::memory_order_relaxed));
  }

  // True for addresses that Lookup takes.
  static bool Covers(const void* p) {
    return reinterpret_cast<uintptr_t>(p) >> 47 == 0;
  }

  // The side header of the small block at `p`, whose page has `entry`.
  static uint64_t* HeaderAt(PageEntry entry, const void* p) {
    const uint64_t offset = reinterpret_cast<uintptr_t>(p) % kPageSize;
    return entry.headers() + (offset * kReciprocals[entry.bin()] >> 32);
  }

  // The side header for a block of `bin` that jemalloc has just given; makes
  // or swaps the page's array as needed. Null when memory is refused.
  static uint64_t* InstallSmall(const void* p, uint32_t bin);

  // Makes `header` the header of the large block at `p`; false when memory is
  // refused. In a signal handler `nested` is true: should the page have had an
  // array of small blocks, it is not given back.
  static bool InstallLarge(const void* p, LargeHeader* header,
                           bool nested = false);

  // Forgets the large block at `p`. Before jemalloc gets it back.
  static void RemoveLarge(const void* p);

  // Forgets the array of the page, which has no blocks. Under a Quiesce.
  static void RemoveSmall(uintptr_t page);

  // Calls `visit(context, page address, entry)` for every page that has an
  // entry, in ascending order.
  static void ForEachPage(void (*visit)(void*, uintptr_t, PageEntry),
                          void* context);

 private:
  static std::atomic<uint64_t>* EntryFor(const void* p);
  static void NoteTouched(const void* p);

  static constexpr auto kReciprocals = [] {
    std::array<uint32_t, kBinCount> table{};
    for (uint32_t bin = 0; bin < kBinCount; ++bin) {
      table[bin] = BinReciprocal(bin);
    }
    return table;
  }();

  static std::atomic<std::atomic<uint64_t>*> regions_[kRegions];
};

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_PAGE_MAP_H_
