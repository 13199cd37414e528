// jemalloc's size classes, as far as the hot path must know them: the small
// ones (up to 14 KiB, which jemalloc keeps in slabs). Each is a bin.
//
// Bin 1 is ours: requests of up to 8 bytes. As with stock jemalloc 8 bytes are
// usable, but the block comes from the 16-byte class, because glibc aligns
// every block to 16 bytes and jemalloc's 8-byte class does not.
#ifndef HEAPTALLY_ALLOCATOR_SIZE_CLASS_H_
#define HEAPTALLY_ALLOCATOR_SIZE_CLASS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heaptally {

inline constexpr size_t kPageSize = 4096;
inline constexpr size_t kMaxSmall = 14336;

inline constexpr uint32_t kNoBin = 0;
inline constexpr uint32_t kTinyBin = 1;
inline constexpr uint32_t kFirstClassBin = 2;  // 16 bytes
inline constexpr uint32_t kBinEnd = 37;
inline constexpr uint32_t kLargeBin = kBinEnd;  // pages of large blocks
inline constexpr uint32_t kBinCount = kBinEnd + 1;

namespace internal {

constexpr std::array<uint32_t, kBinCount> MakeBlockSizes() {
  std::array<uint32_t, kBinCount> sizes{};
  sizes[kTinyBin] = 16;
  uint32_t bin = kFirstClassBin;
  for (uint32_t size = 16; size <= 128; size += 16) sizes[bin++] = size;
  for (uint32_t group = 128; group < kMaxSmall; group *= 2) {
    for (uint32_t i = 1; i <= 4; ++i) {
      const uint32_t size = group + i * (group / 4);
      if (size <= kMaxSmall) sizes[bin++] = size;
    }
  }
  return sizes;
}

}  // namespace internal

// Bytes from one block to the next.
inline constexpr auto kBlockSizes = internal::MakeBlockSizes();
static_assert(kBlockSizes[kBinEnd - 1] == kMaxSmall);
static_assert(kBlockSizes[kBinEnd] == 0);

constexpr uint32_t BinUsable(uint32_t bin) {
  return bin == kTinyBin ? 8 : kBlockSizes[bin];
}

// floor(offset / size) == (offset * reciprocal) >> 32 for the offset of any
// block in its page: offsets and sizes are multiples of 16 and at most 4096,
// the error of the reciprocal is below 4096 / 2^32.
constexpr uint32_t BinReciprocal(uint32_t bin) {
  if (bin == kNoBin || bin >= kBinEnd) return 0;
  return static_cast<uint32_t>(((uint64_t{1} << 32) + kBlockSizes[bin] - 1) /
                               kBlockSizes[bin]);
}

// Most blocks of the bin that can begin in one page.
constexpr uint32_t BlocksPerPage(uint32_t bin) {
  return static_cast<uint32_t>((kPageSize + kBlockSizes[bin] - 1) /
                               kBlockSizes[bin]);
}

namespace internal {

constexpr auto MakeBinOfSize() {
  std::array<uint8_t, kMaxSmall / 8 + 1> bins{};
  uint32_t bin = kTinyBin;
  for (size_t i = 0; i < bins.size(); ++i) {
    while (BinUsable(bin) < i * 8) ++bin;
    bins[i] = static_cast<uint8_t>(bin);
  }
  return bins;
}

}  // namespace internal

inline constexpr auto kBinOfSize = internal::MakeBinOfSize();

// The bin for a request of `size` <= kMaxSmall bytes.
constexpr uint32_t BinOf(size_t size) { return kBinOfSize[(size + 7) / 8]; }

// The bin of blocks with this many usable bytes (a class size >= 16).
constexpr uint32_t BinOfUsable(size_t usable) { return BinOf(usable); }

// Usable bytes of a large request (above kMaxSmall): four classes to each
// power of two, in whole pages. 0 if it is beyond what jemalloc can give.
constexpr size_t LargeUsable(size_t size) {
  constexpr size_t kMaxLarge = size_t{7} << 60;
  if (size > kMaxLarge) return 0;
  const size_t step = std::bit_floor(size - 1) / 4;
  const size_t unit = step < kPageSize ? kPageSize : step;
  const size_t usable = (size + unit - 1) / unit * unit;
  return usable < 4 * kPageSize ? 4 * kPageSize : usable;
}
static_assert(LargeUsable(14337) == 16384);
static_assert(LargeUsable(16385) == 20480);
static_assert(LargeUsable(40961) == 49152);

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_SIZE_CLASS_H_
