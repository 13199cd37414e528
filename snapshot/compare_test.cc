// Comparison: known answers, and random snapshots against a naive model.
#include "snapshot/compare.h"

#include <map>
#include <string>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/books.h"
#include "snapshot/packer.h"
#include "snapshot/small_snapshot.h"
#include "snapshot/synthetic.h"

namespace heaptally {
namespace {

Comparison Diff(const Snapshot& a, const Snapshot& b,
                const CompareOptions& options = {}) {
  absl::StatusOr<Comparison> result = Compare(a, b, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

const ComparedGroup* Find(const Comparison& result, uint32_t traceback) {
  for (const ComparedGroup& group : result.groups) {
    if (group.baseline_traceback == traceback) return &group;
  }
  return nullptr;
}

TEST(Compare, IsExactWhenAnAddressIsUsedAgain) {
  const Comparison result = Diff(SmallSnapshot(), LaterSmallSnapshot());
  EXPECT_EQ(MatchedByName(result.matched_by), "block address and birth epoch");
  EXPECT_EQ(result.totals.added, (Measure{2, 160, 176}));
  EXPECT_EQ(result.totals.freed, (Measure{2, 60, 80}));
  EXPECT_EQ(result.totals.survived, (Measure{3, 1090, 1136}));
  EXPECT_EQ(result.totals.net(), (NetMeasure{0, 100, 96}));
  const ComparedGroup* fill = Find(result, 16);
  ASSERT_NE(fill, nullptr);
  EXPECT_EQ(fill->change.added, (Measure{1, 100, 112}));
  EXPECT_EQ(fill->change.freed, (Measure{1, 50, 64}));
  EXPECT_EQ(fill->change.survived, (Measure{1, 50, 64}));
  const ComparedGroup* none = Find(result, 1);
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(none->name, "before_recording");
  EXPECT_EQ(none->change.freed, (Measure{1, 10, 16}));
  EXPECT_TRUE(result.notes.empty()) << result.notes[0];
}

TEST(Compare, SortsByGrowth) {
  const Comparison result = Diff(SmallSnapshot(), LaterSmallSnapshot());
  std::vector<int64_t> nets;
  for (const ComparedGroup& g : result.groups) {
    nets.push_back(g.change.net().usable);
  }
  EXPECT_THAT(nets, ::testing::ElementsAre(64, 48, 0, -16));
}

TEST(Compare, ASnapshotWithItselfSurvivesWhole) {
  const Comparison result = Diff(SmallSnapshot(), SmallSnapshot());
  EXPECT_EQ(result.totals.added, Measure());
  EXPECT_EQ(result.totals.freed, Measure());
  EXPECT_EQ(result.totals.survived, (Measure{5, 1150, 1216}));
}

TEST(Compare, CountsABlockResizedInPlaceAsFreedAndNew) {
  Snapshot b = SmallSnapshot();
  b.facts.Set("epoch", 4);
  b.blocks.requested = std::vector<uint64_t>{60, 50, 1000, 40, 10};
  BalanceBooks(b);
  const Comparison result = Diff(SmallSnapshot(), b);
  EXPECT_EQ(result.resized, 1u);
  EXPECT_EQ(result.totals.added, (Measure{1, 60, 64}));
  EXPECT_EQ(result.totals.freed, (Measure{1, 50, 64}));
  EXPECT_THAT(result.notes, ::testing::ElementsAre(
                                "1 block was resized in place: counted as "
                                "freed with the old size and new with the new "
                                "one."));
}

TEST(Compare, RefusesABaselineThatIsYounger) {
  Snapshot later = LaterSmallSnapshot();
  later.path = "later.heaptally";
  EXPECT_EQ(Compare(later, SmallSnapshot(), {}).status().message(),
            "the baseline later.heaptally was taken after the comparison "
            "small.heaptally; give the older snapshot first");
}

TEST(Compare, OfTwoProcessesMatchesSymbolisedTracebacks) {
  Snapshot other = LaterSmallSnapshot();
  other.facts.Set("process_id", "another");
  const Comparison result = Diff(SmallSnapshot(), other);
  EXPECT_EQ(MatchedByName(result.matched_by), "symbolised traceback");
  const ComparedGroup* fill = Find(result, 16);
  ASSERT_NE(fill, nullptr);
  EXPECT_EQ(fill->change.survived, (Measure{2, 100, 128}));
  EXPECT_EQ(fill->change.added, (Measure{0, 50, 48}));
  EXPECT_EQ(fill->change.freed, Measure());
  EXPECT_THAT(result.notes[0],
              ::testing::StartsWith("The snapshots are of two processes"));
}

TEST(Compare, OfTwoBuildsMatchesThoughAddressesAndIdsMoved) {
  Snapshot other = SmallSnapshot();
  other.facts.Set("process_id", "another");
  // Other addresses of code, other ids: the tracebacks come the other way.
  std::vector<uint64_t> pc(other.nodes.pc.begin(), other.nodes.pc.end());
  for (size_t i = 16; i < pc.size(); ++i) pc[i] += 0x100;
  other.nodes.pc = pc;
  other.modules[1].bias += 0x100;  // So that the nameless one reads the same.
  std::vector<uint32_t> node(other.tracebacks.node.begin(),
                             other.tracebacks.node.end());
  std::swap(node[16], node[18]);
  other.tracebacks.node = node;
  other.blocks.traceback = std::vector<uint32_t>{18, 18, 17, 16, 1};
  BalanceBooks(other);
  const Comparison result = Diff(SmallSnapshot(), other);
  EXPECT_EQ(result.totals.survived, (Measure{5, 1150, 1216}));
  EXPECT_EQ(result.totals.added, Measure());
  EXPECT_EQ(result.totals.freed, Measure());
}

TEST(Compare, SaysWhatMakesItsFiguresDoubtful) {
  Snapshot a = SmallSnapshot();
  Snapshot b = LaterSmallSnapshot();
  b.path = "later.heaptally";
  b.facts.Set("side_headers.blocks", 99);
  b.facts.Set("mode", "sampled");
  b.facts.Set("epoch_saturated", 3);
  b.recording = std::vector<format::RecordingEntry>{
      {1, format::kAll, 0, 0}, {4, format::kSampled, 512, 0}};
  const std::string notes = absl::StrJoin(Diff(a, b).notes, "\n");
  EXPECT_THAT(notes, ::testing::HasSubstr(
                         "The books of later.heaptally do not balance"));
  EXPECT_THAT(notes, ::testing::HasSubstr(
                         "Stacks were sampled in later.heaptally: a traceback "
                         "counts only the blocks that were sampled, the others "
                         "stand under blocks without a stack."));
  EXPECT_THAT(notes, ::testing::HasSubstr("3 blocks of later.heaptally had no "
                                          "room for a birth epoch"));
  EXPECT_THAT(notes, ::testing::HasSubstr("The recording mode was all in the "
                                          "baseline and is sampled"));
}

TEST(Compare, ACutTakesWhatDidNotChangeFirst) {
  const Comparison result =
      Diff(SmallSnapshot(), LaterSmallSnapshot(), {.top = 3});
  ASSERT_EQ(result.groups.size(), 3u);
  EXPECT_EQ(result.groups[2].change.net().usable, -16);
  EXPECT_EQ(result.omitted_groups, 1u);
  EXPECT_EQ(result.omitted.survived, (Measure{1, 40, 48}));
}

class CompareModel : public ::testing::TestWithParam<uint64_t> {
 protected:
  CompareModel() {
    const uint64_t seed = GetParam();
    a_ = MakeSyntheticSnapshot({.seed = seed,
                                .blocks = 800,
                                .tracebacks = 50,
                                .depth = 10,
                                .functions = 20});
    b_ = MakeSuccessor(a_, seed + 100, 0.3, seed * 37 % 500);
    SyntheticNamer namer;
    EXPECT_TRUE(AddNames(a_, namer).ok());
    EXPECT_TRUE(AddNames(b_, namer).ok());
  }

  void ExpectSums(const Comparison& result) const {
    Change sum = result.omitted;
    for (const ComparedGroup& g : result.groups) sum += g.change;
    EXPECT_EQ(sum, result.totals);
    EXPECT_EQ(sum.freed + sum.survived, SumOf(a_.blocks));
    EXPECT_EQ(sum.added + sum.survived, SumOf(b_.blocks));
    EXPECT_EQ(result.totals.net(), Net(SumOf(b_.blocks), SumOf(a_.blocks)));
  }

  Snapshot a_, b_;
};

TEST_P(CompareModel, WithinAProcessAgreesWithANaiveMatch) {
  std::map<uint64_t, size_t> in_a;
  for (size_t i = 0; i < a_.blocks.size(); ++i) in_a[a_.blocks.address[i]] = i;
  std::map<uint32_t, Change> expected;
  for (size_t j = 0; j < b_.blocks.size(); ++j) {
    Change& change = expected[b_.blocks.traceback[j]];
    const auto found = in_a.find(b_.blocks.address[j]);
    if (found != in_a.end() && b_.blocks.epoch[j] <= a_.epoch()) {
      change.survived += b_.blocks[j];
      in_a.erase(found);
    } else {
      change.added += b_.blocks[j];
    }
  }
  for (const auto& [address, i] : in_a) {
    expected[a_.blocks.traceback[i]].freed += a_.blocks[i];
  }
  const Comparison result = Diff(a_, b_);
  EXPECT_EQ(result.resized, 0u);
  EXPECT_EQ(result.groups.size(), expected.size());
  for (const ComparedGroup& g : result.groups) {
    EXPECT_EQ(g.change, expected[g.comparison_traceback]);
  }
  ExpectSums(result);
}

TEST_P(CompareModel, BetweenProcessesAgreesWithANaiveMatch) {
  b_.facts.Set("process_id", "another");
  FrameTable table;
  const SnapshotFrames a_frames(a_, table);
  const SnapshotFrames b_frames(b_, table);
  const auto key = [&](const SnapshotFrames& frames, uint32_t id) {
    std::string text;
    for (const FrameRef f : frames.OfTraceback(id)) {
      text += std::string(table[f].function) + "|" +
              std::string(table[f].file) + "|" + std::to_string(table[f].line) +
              "|" + std::string(table[f].module) + "\n";
    }
    return text.empty() ? std::to_string(id < 16 ? id : 16) : text;
  };
  std::map<std::string, std::pair<Measure, Measure>> sums;
  for (size_t i = 0; i < a_.blocks.size(); ++i) {
    sums[key(a_frames, a_.blocks.traceback[i])].first += a_.blocks[i];
  }
  for (size_t i = 0; i < b_.blocks.size(); ++i) {
    sums[key(b_frames, b_.blocks.traceback[i])].second += b_.blocks[i];
  }
  const Comparison result = Diff(a_, b_);
  EXPECT_EQ(result.groups.size(), sums.size());
  for (const ComparedGroup& g : result.groups) {
    const bool in_b = g.comparison_traceback != 0;
    const auto& [before, after] =
        sums[in_b ? key(b_frames, g.comparison_traceback)
                  : key(a_frames, g.baseline_traceback)];
    EXPECT_EQ(g.change.freed + g.change.survived, before);
    EXPECT_EQ(g.change.added + g.change.survived, after);
    EXPECT_EQ(g.change.survived.usable, std::min(before.usable, after.usable));
    EXPECT_EQ(g.change.survived.blocks, std::min(before.blocks, after.blocks));
  }
  ExpectSums(result);
}

TEST_P(CompareModel, EveryGroupingSumsUpToTheDifferenceOfTheTotals) {
  for (const char* process : {"00112233445566778899aabbccddeeff", "another"}) {
    b_.facts.Set("process_id", process);
    for (const GroupBy by :
         {GroupBy::kTraceback, GroupBy::kFunction, GroupBy::kFile,
          GroupBy::kModule, GroupBy::kSizeClass}) {
      for (const size_t top : {0, 3}) {
        ExpectSums(Diff(a_, b_, {.by = by, .top = top}));
      }
    }
  }
}

TEST_P(CompareModel, AFilterAndItsComplementSumUpToTheWhole) {
  const Change whole = Diff(a_, b_).totals;
  const Comparison some = Diff(a_, b_, {.filter = "function_[0-4]\\("});
  Change rest;
  for (const ComparedGroup& g : Diff(a_, b_).groups) {
    bool matches = false;
    for (const FrameRef f : some.FramesOf(g)) {
      const std::string name((*some.table)[f].function);
      for (const char* prefix : {"function_0(", "function_1(", "function_2(",
                                 "function_3(", "function_4("}) {
        matches |= name.rfind(prefix, 0) == 0;
      }
    }
    if (!matches) rest += g.change;
  }
  rest += some.totals;
  EXPECT_EQ(rest, whole);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CompareModel,
                         ::testing::Range<uint64_t>(1, 21));

}  // namespace
}  // namespace heaptally
