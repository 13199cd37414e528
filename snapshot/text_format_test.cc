// Numbers and names as text.
#include "snapshot/text_format.h"

#include "gtest/gtest.h"

namespace heaptally {
namespace {

TEST(TextFormat, WritesBytesWithThreeSignificantDigits) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1024), "1.00 KiB");
  EXPECT_EQ(BytesText(10230), "9.99 KiB");
  EXPECT_EQ(BytesText(10236), "10.0 KiB");
  EXPECT_EQ(BytesText(1048575), "1.00 MiB");
  EXPECT_EQ(BytesText(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(SignedBytesText(INT64_MIN), "-8.00 EiB");
  EXPECT_EQ(ThousandsText(1234567), "1,234,567");
  EXPECT_EQ(ThousandsText(100), "100");
}

TEST(TextFormat, ShortensFunctionsByTheirTemplateArgumentsFirst) {
  EXPECT_EQ(FitFunction("Map<Key, Value>::Insert(Key)", 24),
            "Map<\u2026>::Insert(Key)");
  EXPECT_EQ(FitFunction("Insert", 4), "Ins\u2026");
  EXPECT_EQ(FitPath("/a/long/path.cc", 8), "\u2026path.cc");
}

}  // namespace
}  // namespace heaptally
