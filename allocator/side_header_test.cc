#include "allocator/side_header.h"

#include <random>

#include "gtest/gtest.h"

namespace heaptally {
namespace {

TEST(SideHeaderTest, KeepsItsFieldsApart) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const uint32_t bin =
        kTinyBin + static_cast<uint32_t>(random() % (kBinEnd - kTinyBin));
    const auto id =
        static_cast<TracebackId>(1 + random() % TracebackTable::kMaxTracebacks);
    const auto epoch =
        static_cast<uint32_t>(random() % (Recording::kMaxEpoch + 1));
    const auto size = static_cast<uint32_t>(random() % (BinUsable(bin) + 1));
    const SideHeader header =
        SideHeader::Make(id, SideHeader::SlopBase(bin) - size, epoch);
    ASSERT_EQ(header.traceback(), id);
    ASSERT_EQ(header.slop(), BinUsable(bin) - size);
    ASSERT_EQ(header.tiny(), bin == kTinyBin ? 1u : 0u);
    ASSERT_EQ(header.epoch(), epoch);
    ASSERT_TRUE(header.is_block());
  }
}

TEST(SideHeaderTest, HoldsTheLargestValueOfEachField) {
  const SideHeader header =
      SideHeader::Make(TracebackTable::kMaxTracebacks,
                       SideHeader::SlopBase(kBinEnd - 1), Recording::kMaxEpoch);
  EXPECT_EQ(header.traceback(), TracebackTable::kMaxTracebacks);
  EXPECT_EQ(header.slop(), kMaxSmall);
  EXPECT_EQ(header.epoch(), Recording::kMaxEpoch);
  EXPECT_EQ(header.tiny(), 0u);
}

TEST(SideHeaderTest, ZeroIsNoBlock) { EXPECT_FALSE(SideHeader(0).is_block()); }

TEST(SideHeaderTest, TellsUnrecordedBlocksByTheirTracebackAlone) {
  EXPECT_FALSE(SideHeader(0).is_unrecorded());
  EXPECT_TRUE(SideHeader::Make(kBeforeRecording, 8191, 77).is_unrecorded());
  EXPECT_FALSE(SideHeader::Make(kSampledOut, 8191, 77).is_unrecorded());
  EXPECT_FALSE(
      SideHeader::Make(TracebackTable::kMaxTracebacks, 0, 1).is_unrecorded());
}

TEST(SideHeaderTest, IdsHaveAtLeastTwentySixBits) {
  EXPECT_GE(SideHeader::kTracebackBits, 26u);
}

}  // namespace
}  // namespace heaptally
