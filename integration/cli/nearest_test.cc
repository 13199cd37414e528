#include "integration/cli/nearest.h"

#include <gtest/gtest.h>

namespace heaptally::cli {
namespace {

TEST(Nearest, CountsASwapOfNeighboursOnce) {
  EXPECT_EQ(EditDistance("snapshto", "snapshot"), 1u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", "abc"), 0u);
}

TEST(Nearest, FindsTheCommandThatWasMeant) {
  const std::vector<std::string> known = {"run", "report", "record", "ps"};
  EXPECT_EQ(Nearest("reprot", known), "report");
  EXPECT_EQ(Nearest("recrod", known), "record");
  EXPECT_EQ(Nearest("rnu", known), "run");
}

TEST(Nearest, FindsNothingWhenNoWordIsNear) {
  EXPECT_EQ(Nearest("frobnicate", {"run", "report"}), "");
  EXPECT_EQ(Nearest("x", {"ps"}), "");
}

}  // namespace
}  // namespace heaptally::cli
