// What the tests of stacks share. Not thread-safe.
#ifndef HEAPTALLY_TESTS_UNWIND_STACKS_TESTING_H_
#define HEAPTALLY_TESTS_UNWIND_STACKS_TESTING_H_

#include <gtest/gtest.h>

#include <functional>

#include "tests/unwind/referee.h"

#define NOINLINE __attribute__((noinline))

namespace heaptally::unwind {

// Every walk of a test must be the referee's.
class Stacks : public testing::Test {
 protected:
  void SetUp() override { Findings() = {}; }
  void TearDown() override {
    EXPECT_EQ(Findings().wrong, 0u) << Findings().report;
    EXPECT_GT(Findings().walks, 0u);
  }
};

// Calls `f` from `depth` frames further in.
NOINLINE inline void Nest(int depth, const std::function<void()>& f) {
  char local[40];
  asm volatile("" : : "r"(local) : "memory");
  if (depth == 0) {
    f();
  } else {
    Nest(depth - 1, f);
  }
  asm volatile("");
}

}  // namespace heaptally::unwind

#endif  // HEAPTALLY_TESTS_UNWIND_STACKS_TESTING_H_
