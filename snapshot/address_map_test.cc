#include "snapshot/address_map.h"

#include <gtest/gtest.h>

#include <random>

namespace heaptally {
namespace {

constexpr uint32_t kNone = AddressMap::kNone;

TEST(AddressMap, HoldsNothingOutsideItsRanges) {
  AddressMap map;
  map.Add(10, 20, 7);
  map.Add(30, 30, 8);  // empty
  map.Seal();
  EXPECT_EQ(map.Find(9), kNone);
  EXPECT_EQ(map.Find(10), 7u);
  EXPECT_EQ(map.Find(19), 7u);
  EXPECT_EQ(map.Find(20), kNone);
  EXPECT_EQ(map.Find(30), kNone);
  EXPECT_EQ(map.Find(UINT64_MAX), kNone);
}

TEST(AddressMap, IsEmptyAtFirst) {
  AddressMap map;
  map.Seal();
  EXPECT_EQ(map.Find(0), kNone);
}

TEST(AddressMap, FindsTheInnermostAndThenTheOuterAgain) {
  AddressMap map;
  map.Add(0, 100, 1);
  map.Add(20, 80, 2);
  map.Add(40, 60, 3);
  map.Seal();
  EXPECT_EQ(map.Find(10), 1u);
  EXPECT_EQ(map.Find(30), 2u);
  EXPECT_EQ(map.Find(50), 3u);
  EXPECT_EQ(map.Find(70), 2u);
  EXPECT_EQ(map.Find(90), 1u);
}

TEST(AddressMap, AgreesWithASearchThroughAllRanges) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    AddressMap map;
    std::vector<uint32_t> expected(64, kNone);
    for (uint32_t value = 0; value < 20; ++value) {
      uint64_t begin = random() % 64;
      uint64_t end = random() % 65;
      map.Add(begin, end, value);
      for (uint64_t a = begin; a < end; ++a) expected[a] = value;
    }
    map.Seal();
    for (uint64_t a = 0; a < 64; ++a) EXPECT_EQ(map.Find(a), expected[a]);
  }
}

}  // namespace
}  // namespace heaptally
