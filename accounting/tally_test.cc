#include "accounting/tally.h"

#include "gtest/gtest.h"

namespace heaptally {
namespace {

TEST(TallyTest, AddsAndSubtractsFieldByField) {
  const Tally a{3, 100, 128};
  const Tally b{1, 40, 48};
  EXPECT_EQ(a + b, (Tally{4, 140, 176}));
  EXPECT_EQ(a - b, (Tally{2, 60, 80}));
  EXPECT_NE(a, b);
}

TEST(TallyTest, ADifferenceBelowZeroComesBack) {
  const Tally a{3, 100, 128};
  const Tally b{5, 140, 176};
  EXPECT_EQ((a - b) + b, a);
}

TEST(TallyTest, AccumulatesInPlace) {
  Tally sum;
  sum += {1, 10, 16};
  sum += {2, 20, 32};
  sum -= {1, 10, 16};
  EXPECT_EQ(sum, (Tally{2, 20, 32}));
}

}  // namespace
}  // namespace heaptally
