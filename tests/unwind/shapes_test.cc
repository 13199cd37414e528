// Every shape of function, compiled in every way, and random mixtures of them.
#include "tests/unwind/shapes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/unwind/referee.h"

namespace heaptally::unwind {
namespace {

std::vector<ShapeSet> AllSets() {
  std::vector<ShapeSet> sets;
#define HEAPTALLY_ADD(variant) sets.push_back(variant::Shapes());
  HEAPTALLY_SHAPE_SETS(HEAPTALLY_ADD)
#undef HEAPTALLY_ADD
  if (!__builtin_cpu_supports("avx2")) sets.pop_back();
  return sets;
}

class Shapes : public testing::TestWithParam<ShapeSet> {
 protected:
  void SetUp() override { Findings() = {}; }
};

TEST_P(Shapes, AreWalkedAsTheRefereeDoes) {
  for (size_t i = 0; i < GetParam().count; ++i) {
    const Shape& shape = GetParam().shapes[i];
    for (int amount : {0, 1, 2, 5, 20}) shape.run(CheckHere, amount);
    EXPECT_EQ(Findings().wrong, 0u) << shape.name << "\n" << Findings().report;
    EXPECT_EQ(Findings().incomplete, 0u) << shape.name;
  }
  EXPECT_GT(Findings().walks, 300u);
}

TEST_P(Shapes, AreWalkedInOtherThreads) {
  std::thread([] {
    for (size_t i = 0; i < GetParam().count; ++i) {
      GetParam().shapes[i].run(CheckHere, 3);
    }
    TestCache().Release();
  }).join();
  EXPECT_EQ(Findings().wrong, 0u) << Findings().report;
  EXPECT_EQ(Findings().incomplete, 0u);
}

INSTANTIATE_TEST_SUITE_P(Variants, Shapes, testing::ValuesIn(AllSets()),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

// Calls random shapes from within random shapes, with walks in between.
std::mt19937* random_source;
int budget;
int level;

void RandomCall() {
  static const std::vector<ShapeSet> sets = AllSets();
  if ((*random_source)() % 3 == 0) CheckHere();
  if (budget <= 0 || level > 12 || (*random_source)() % 4 == 0) return;
  --budget;
  ++level;
  const ShapeSet& set = sets[(*random_source)() % sets.size()];
  const Shape& shape = set.shapes[(*random_source)() % set.count];
  shape.run(RandomCall, static_cast<int>((*random_source)() % 4));
  --level;
}

TEST(RandomCallTrees, AreWalkedAsTheRefereeAndFromScratch) {
  Findings() = {};
  std::mt19937 random(20240607);
  random_source = &random;
  for (int tree = 0; tree < 150; ++tree) {
    budget = 60;
    level = 0;
    RandomCall();
  }
  EXPECT_EQ(Findings().wrong, 0u) << Findings().report;
  EXPECT_EQ(Findings().incomplete, 0u);
  EXPECT_GT(Findings().walks, 2000u);
  RecordProperty("walks", static_cast<int>(Findings().walks));
}

}  // namespace
}  // namespace heaptally::unwind
