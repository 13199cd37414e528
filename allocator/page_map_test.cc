#include "allocator/page_map.h"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "accounting/own_memory.h"
#include "gtest/gtest.h"

namespace heaptally {
namespace {

// Addresses that nothing is mapped at: the page map never looks there.
const void* At(uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}

TEST(PageMapTest, KnowsNothingOfAPageWithoutBlocks) {
  EXPECT_TRUE(PageMap::Lookup(At(0x100000000000)).empty());
  EXPECT_TRUE(PageMap::Lookup(nullptr).empty());
}

TEST(PageMapTest, CoversUserSpaceOnly) {
  EXPECT_TRUE(PageMap::Covers(At(0x7fffffffffff)));
  EXPECT_FALSE(PageMap::Covers(At(0x800000000000)));
  EXPECT_FALSE(PageMap::Covers(At(~uintptr_t{0})));
}

TEST(PageMapTest, GivesEachBlockOfASlabAHeaderOfItsOwn) {
  for (uint32_t bin = kFirstClassBin; bin < kBinEnd; ++bin) {
    const uintptr_t slab = 0x200000000000 + (uintptr_t{bin} << 24);
    const uint32_t size = kBlockSizes[bin];
    std::set<uint64_t*> headers;
    for (int i = 0; i < 300; ++i) {
      uint64_t* const header = PageMap::InstallSmall(At(slab + i * size), bin);
      ASSERT_NE(header, nullptr);
      ASSERT_EQ(*header, 0u);
      ASSERT_TRUE(headers.insert(header).second) << size << " block " << i;
      const PageEntry entry = PageMap::Lookup(At(slab + i * size));
      ASSERT_EQ(entry.bin(), bin);
      ASSERT_EQ(PageMap::HeaderAt(entry, At(slab + i * size)), header);
    }
  }
}

TEST(PageMapTest, TinyBlocksShareThePagesOfTheSixteenByteClass) {
  const uintptr_t page = 0x210000000000;
  uint64_t* const tiny = PageMap::InstallSmall(At(page), kTinyBin);
  uint64_t* const next = PageMap::InstallSmall(At(page + 16), kFirstClassBin);
  EXPECT_EQ(next, tiny + 1);
}

TEST(PageMapTest, SwapsTheArrayWhenThePageServesAnotherClass) {
  const uintptr_t page = 0x220000000000;
  const uint32_t small = BinOf(32);
  const uint32_t big = BinOf(1024);
  PageMap::InstallSmall(At(page), small);
  const uint64_t used = OwnMemory::Used(OwnUse::kSideHeaders);
  PageMap::InstallSmall(At(page), big);
  EXPECT_EQ(PageMap::Lookup(At(page)).bin(), big);
  // The old array serves the next page of its class.
  const uint64_t with_big = OwnMemory::Used(OwnUse::kSideHeaders);
  PageMap::InstallSmall(At(page + kPageSize), small);
  EXPECT_EQ(OwnMemory::Used(OwnUse::kSideHeaders), with_big);
  EXPECT_GT(with_big, used);
}

TEST(PageMapTest, GivesTheHeadersOfAFormerSizeBackToTheSystem) {
  const uintptr_t page = 0x260000000000;
  constexpr uintptr_t kPages = 4096;
  const uint64_t before = OwnMemory::Used(OwnUse::kSideHeaders);
  for (uint32_t size : {16, 48, 112, 256, 1024, 4096}) {
    for (uintptr_t i = 0; i < kPages; ++i) {
      PageMap::InstallSmall(At(page + i * kPageSize), BinOf(size));
    }
  }
  // What is left are the arrays of the last size, and a chunk of 64 KiB each of
  // the former ones.
  EXPECT_LT(OwnMemory::Used(OwnUse::kSideHeaders) - before,
            kPages * 8 + 7 * (64 << 10));
}

TEST(PageMapTest, SwapsTheArrayWhenTheFirstBlockMoves) {
  const uintptr_t page = 0x230000000000;
  const uint32_t bin = BinOf(48);
  PageMap::InstallSmall(At(page), bin);
  EXPECT_EQ(PageMap::Lookup(At(page)).first(), 0u);
  PageMap::InstallSmall(At(page + 16), bin);
  EXPECT_EQ(PageMap::Lookup(At(page)).first(), 16u);
}

TEST(PageMapTest, FindsAndForgetsALargeBlock) {
  const uintptr_t block = 0x240000000000 + 0x340;
  LargeHeader* const header = LargeHeaders::Take();
  ASSERT_TRUE(PageMap::InstallLarge(At(block), header));
  const PageEntry entry = PageMap::Lookup(At(block));
  EXPECT_EQ(entry.bin(), kLargeBin);
  EXPECT_EQ(entry.large(), header);
  EXPECT_EQ(entry.first(), 0x340u);
  PageMap::RemoveLarge(At(block));
  EXPECT_TRUE(PageMap::Lookup(At(block)).empty());
  LargeHeaders::Release(header);
}

TEST(PageMapTest, ThreadsThatMeetInAPageAgreeOnItsArray) {
  constexpr int kThreads = 4;
  constexpr int kPages = 2000;
  const uint32_t bin = BinOf(64);
  std::vector<std::vector<uint64_t*>> first(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&first, t] {
      for (uintptr_t i = 0; i < kPages; ++i) {
        const uintptr_t page = 0x250000000000 + i * kPageSize;
        uint64_t* header = PageMap::InstallSmall(
            At(page + static_cast<uintptr_t>(t) * 64), bin);
        first[t].push_back(header - t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(first[t], first[0]);
}

TEST(PageMapTest, WalksItsPagesInAscendingOrder) {
  PageMap::InstallSmall(At(0x300000005000), BinOf(64));
  PageMap::InstallSmall(At(0x300000001000), BinOf(64));
  PageMap::InstallSmall(At(0x310000000000), BinOf(64));
  std::vector<uintptr_t> pages;
  PageMap::ForEachPage(
      [](void* context, uintptr_t page, PageEntry) {
        static_cast<std::vector<uintptr_t>*>(context)->push_back(page);
      },
      &pages);
  EXPECT_TRUE(std::is_sorted(pages.begin(), pages.end()));
  EXPECT_TRUE(std::binary_search(pages.begin(), pages.end(), 0x300000001000));
  EXPECT_TRUE(std::binary_search(pages.begin(), pages.end(), 0x310000000000));
}

// What the books may take: 8 bytes a block slot of the pages in use and 8 a
// page, in pages of the map.
TEST(PageMapTest, TakesEightBytesASlotAndEightAPage) {
  const uint32_t bin = BinOf(64);
  const uint64_t headers = OwnMemory::Used(OwnUse::kSideHeaders);
  const uint64_t map = OwnMemory::Used(OwnUse::kPageMap);
  constexpr uint64_t kPages = 1024;
  for (uintptr_t i = 0; i < kPages; ++i) {
    PageMap::InstallSmall(At(0x400000000000 + i * kPageSize), bin);
  }
  // 48 bytes describe each chunk of 64 KiB.
  const uint64_t slots = kPages * BlocksPerPage(bin) * 8;
  EXPECT_LE(OwnMemory::Used(OwnUse::kSideHeaders) - headers,
            slots + (slots / 65000 + 1) * 48);
  // Its region is new: one page more for the bits of touched pages.
  EXPECT_EQ(OwnMemory::Used(OwnUse::kPageMap) - map, kPages * 8 + kPageSize);
}

}  // namespace
}  // namespace heaptally
