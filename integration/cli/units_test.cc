#include "integration/cli/units.h"

#include <gtest/gtest.h>

namespace heaptally::cli {
namespace {

TEST(Units, BytesTakeTheUnitInWhichTheyAreAtLeastOne) {
  EXPECT_EQ(Bytes(0), "0 B");
  EXPECT_EQ(Bytes(1023), "1023 B");
  EXPECT_EQ(Bytes(1024), "1.0 KiB");
  EXPECT_EQ(Bytes(1536), "1.5 KiB");
  EXPECT_EQ(Bytes(1048575), "1.0 MiB");
  EXPECT_EQ(Bytes(uint64_t{3} << 30), "3.0 GiB");
  EXPECT_EQ(Bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Units, ShortBytesHaveNoNeedlessFraction) {
  EXPECT_EQ(ShortBytes(524288), "512K");
  EXPECT_EQ(ShortBytes(1572864), "1.5M");
  EXPECT_EQ(ShortBytes(100), "100");
}

TEST(Units, SeparatorsStandBeforeEveryThirdDigit) {
  EXPECT_EQ(WithSeparators(0), "0");
  EXPECT_EQ(WithSeparators(999), "999");
  EXPECT_EQ(WithSeparators(1000), "1,000");
  EXPECT_EQ(WithSeparators(1234567), "1,234,567");
}

TEST(Units, ShortenedIsOneLineOfTheWidth) {
  EXPECT_EQ(Shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(Shortened("abcdefg", 6), "abc...");
  EXPECT_EQ(Shortened("a\nb", 6), "a?b");
  EXPECT_EQ(Shortened("ab\xc3\xa4xyz", 6), "ab...");
}

}  // namespace
}  // namespace heaptally::cli
