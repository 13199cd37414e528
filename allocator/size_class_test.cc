#include "allocator/size_class.h"

#include "allocator/jemalloc.h"
#include "gtest/gtest.h"

namespace heaptally {
namespace {

// jemalloc's own answer.
size_t Asked(size_t size) { return jemalloc::UsableFor(size == 0 ? 1 : size); }

TEST(SizeClassTest, AgreesWithJemallocForEverySmallSize) {
  for (size_t size = 0; size <= kMaxSmall; ++size) {
    ASSERT_EQ(BinUsable(BinOf(size)), Asked(size)) << size;
  }
}

TEST(SizeClassTest, AgreesWithJemallocForLargeSizes) {
  for (size_t size = kMaxSmall + 1; size <= 1 << 20; size += 61) {
    ASSERT_EQ(LargeUsable(size), Asked(size)) << size;
  }
  for (size_t size = 1 << 20; size < size_t{1} << 45; size += size / 7) {
    ASSERT_EQ(LargeUsable(size), Asked(size)) << size;
    ASSERT_EQ(LargeUsable(size + 1), Asked(size + 1)) << size + 1;
  }
  EXPECT_EQ(LargeUsable(SIZE_MAX), 0u);
}

TEST(SizeClassTest, TheReciprocalDividesEveryBlockOffsetExactly) {
  for (uint32_t bin = kFirstClassBin; bin < kBinEnd; ++bin) {
    const uint64_t size = kBlockSizes[bin];
    for (uint64_t first = 0; first < size && first < kPageSize; first += 16) {
      for (uint64_t offset = first; offset < kPageSize; offset += size) {
        ASSERT_EQ(offset * BinReciprocal(bin) >> 32, offset / size)
            << size << " at " << offset;
        ASSERT_LT(offset / size, BlocksPerPage(bin));
      }
    }
  }
}

TEST(SizeClassTest, EveryBlockIsAMultipleOfSixteenBytes) {
  for (uint32_t bin = kTinyBin; bin < kBinEnd; ++bin) {
    EXPECT_EQ(kBlockSizes[bin] % 16, 0u);
    EXPECT_GE(kBlockSizes[bin], BinUsable(bin));
  }
}

}  // namespace
}  // namespace heaptally
