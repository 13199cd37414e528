#include "integration/cli/values.h"

#include <gtest/gtest.h>

namespace heaptally::cli {
namespace {

TEST(ParseByteSize, TakesBytesAndUnits) {
  EXPECT_EQ(*ParseByteSize("--x", "0"), 0u);
  EXPECT_EQ(*ParseByteSize("--x", "4096"), 4096u);
  EXPECT_EQ(*ParseByteSize("--x", "64K"), 65536u);
  EXPECT_EQ(*ParseByteSize("--x", "64KiB"), 65536u);
  EXPECT_EQ(*ParseByteSize("--x", "1.5m"), 1572864u);
  EXPECT_EQ(*ParseByteSize("--x", "2G"), uint64_t{2} << 30);
  EXPECT_EQ(*ParseByteSize("--x", "18446744073709551615"), UINT64_MAX);
}

TEST(ParseByteSize, NamesWhatItDoesNotTake) {
  for (const char* text : {"", "x", "-1", "1.2.3", "1T", "K", "1 K", "."}) {
    EXPECT_FALSE(ParseByteSize("--x", text).ok()) << text;
  }
  EXPECT_EQ(ParseByteSize("--min-size", "12Q").status().message(),
            "--min-size: 12Q is not a size; write bytes or use K, M or G: "
            "4096, 64K, 1.5M");
  EXPECT_EQ(ParseByteSize("--x", "17179869184G").status().message(),
            "--x: 17179869184G is not a size below 16 EiB");
}

TEST(ParseCount, KeepsTheBounds) {
  EXPECT_EQ(*ParseCount("--depth", "1", 1, 4096), 1u);
  EXPECT_EQ(*ParseCount("--depth", "4096", 1, 4096), 4096u);
  EXPECT_EQ(ParseCount("--depth", "0", 1, 4096).status().message(),
            "--depth: 0 is not a whole number from 1 to 4096");
  EXPECT_FALSE(ParseCount("--depth", "4097", 1, 4096).ok());
  EXPECT_FALSE(ParseCount("--depth", "+3", 1, 4096).ok());
  EXPECT_FALSE(ParseCount("--depth", "", 1, 4096).ok());
}

TEST(ParsePid, TakesDigitsOnly) {
  EXPECT_EQ(*ParsePid("17"), 17);
  for (const char* text : {"", "0", "-5", "12x", "99999999999999999999"}) {
    EXPECT_FALSE(ParsePid(text).ok()) << text;
  }
}

TEST(ParseSeconds, TakesFractions) {
  EXPECT_DOUBLE_EQ(*ParseSeconds("--watch", "0.5"), 0.5);
  for (const char* text : {"", "0", "-1", "nan", "inf", "x", "1e9"}) {
    EXPECT_FALSE(ParseSeconds("--watch", text).ok()) << text;
  }
}

TEST(ParseMode, GivesTheIntervalInBytes) {
  EXPECT_EQ(*ParseMode("counters"), "counters");
  EXPECT_EQ(*ParseMode("all"), "all");
  EXPECT_EQ(*ParseMode("sampled=512K"), "sampled=524288");
}

TEST(ParseMode, TellsTheModesWhenItIsGivenAnother) {
  EXPECT_EQ(ParseMode("counter").status().message(),
            "unknown mode counter; did you mean counters? there are counters, "
            "sampled=BYTES and all");
  EXPECT_EQ(ParseMode("sampled").status().message(),
            "mode sampled needs the mean distance of samples in bytes: "
            "sampled=512K");
  EXPECT_FALSE(ParseMode("sampled=0").ok());
  EXPECT_FALSE(ParseMode("sampled=x").ok());
}

}  // namespace
}  // namespace heaptally::cli
