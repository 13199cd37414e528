// Census and call tree: small snapshots with known answers, and random ones
// against a naive model.
#include "snapshot/census.h"

#include <map>
#include <numeric>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/books.h"
#include "snapshot/call_tree.h"
#include "snapshot/library_frames.h"
#include "snapshot/packer.h"
#include "snapshot/small_snapshot.h"
#include "snapshot/synthetic.h"

namespace heaptally {
namespace {

const CensusGroup* Find(const Census& census, const std::string& name) {
  for (const CensusGroup& group : census.groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

Census Take(const Snapshot& s, const ReportOptions& options) {
  absl::StatusOr<Census> census = TakeCensus(s, options);
  EXPECT_TRUE(census.ok()) << census.status();
  return *std::move(census);
}

TEST(Census, SumsUpBlocksOfATraceback) {
  const Census census = Take(SmallSnapshot(), {});
  ASSERT_EQ(census.groups.size(), 4u);
  EXPECT_EQ(census.groups[0].traceback, 17u);
  EXPECT_EQ(census.groups[0].self.current, (Measure{1, 1000, 1024}));
  EXPECT_EQ(census.groups[1].traceback, 16u);
  EXPECT_EQ(census.groups[1].self.current, (Measure{2, 100, 128}));
  EXPECT_EQ(census.groups[2].traceback, 18u);
  EXPECT_EQ(census.groups[2].self.current, (Measure{1, 40, 48}));
  EXPECT_EQ(census.groups[3].reason, 1u);
  EXPECT_EQ(census.groups[3].name, "before_recording");
  EXPECT_EQ(census.groups[3].self.current, (Measure{1, 10, 16}));
  EXPECT_EQ(census.whole.current, (Measure{5, 1150, 1216}));
}

TEST(Census, GroupsByFunctionWithSelfAndTotal) {
  const Census census = Take(SmallSnapshot(), {.by = GroupBy::kFunction});
  const CensusGroup* main = Find(census, "main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->self.current, Measure());
  EXPECT_EQ(main->total.current, (Measure{4, 1140, 1200}));
  // The library's frame is innermost; the caller is the allocation site.
  const CensusGroup* fill = Find(census, "Fill(int)");
  ASSERT_NE(fill, nullptr);
  EXPECT_EQ(fill->self.current, (Measure{2, 100, 128}));
  EXPECT_EQ(fill->total.current, (Measure{2, 100, 128}));
  // Recursion counts once.
  const CensusGroup* recurse = Find(census, "Recurse");
  ASSERT_NE(recurse, nullptr);
  EXPECT_EQ(recurse->total.current, (Measure{1, 1000, 1024}));
  const CensusGroup* none = Find(census, "(before_recording)");
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(none->self.current, (Measure{1, 10, 16}));
}

TEST(Census, GroupsByFileModuleAndSizeClass) {
  const Census files = Take(SmallSnapshot(), {.by = GroupBy::kFile});
  ASSERT_NE(Find(files, "/src/fill.cc"), nullptr);
  EXPECT_EQ(Find(files, "/src/fill.cc")->self.current.usable, 128u);
  ASSERT_NE(Find(files, "(unknown file of libx.so)"), nullptr);
  const Census modules = Take(SmallSnapshot(), {.by = GroupBy::kModule});
  EXPECT_EQ(Find(modules, "app")->self.current, (Measure{3, 1100, 1152}));
  EXPECT_EQ(Find(modules, "libx.so")->self.current, (Measure{1, 40, 48}));
  const Census classes = Take(SmallSnapshot(), {.by = GroupBy::kSizeClass});
  EXPECT_EQ(Find(classes, "64")->self.current, (Measure{2, 100, 128}));
}

TEST(Census, ShowsWhatHasNoNameByModuleAndOffset) {
  const Census census = Take(SmallSnapshot(), {.by = GroupBy::kFunction});
  EXPECT_NE(Find(census, "libx.so+0x234"), nullptr);
}

TEST(Census, FiltersByFunctionFileOrModuleOfAnyFrame) {
  const Snapshot s = SmallSnapshot();
  EXPECT_EQ(Take(s, {.filter = "Fill"}).matched.current.blocks, 2u);
  EXPECT_EQ(Take(s, {.filter = "^main$"}).matched.current.blocks, 4u);
  EXPECT_EQ(Take(s, {.filter = "fill\\.cc$"}).matched.current.blocks, 2u);
  EXPECT_EQ(Take(s, {.filter = "libx"}).matched.current.blocks, 1u);
  EXPECT_EQ(Take(s, {.filter = "before_rec"}).matched.current.blocks, 1u);
  EXPECT_EQ(Take(s, {.filter = "nothing"}).matched.current.blocks, 0u);
  EXPECT_EQ(Take(s, {.filter = "Fill"}).whole.current.blocks, 5u);
}

TEST(Census, ExcludesWhatMatches) {
  const Snapshot s = SmallSnapshot();
  const auto blocks = [&s](const ReportOptions& options) {
    return Take(s, options).matched.current.blocks;
  };
  EXPECT_EQ(blocks({.exclude = "Fill"}), 3u);
  EXPECT_EQ(blocks({.exclude = "^main$"}), 1u);
  EXPECT_EQ(blocks({.filter = "^main$", .exclude = "Fill"}), 2u);
  EXPECT_EQ(blocks({.filter = "Fill", .exclude = "Fill"}), 0u);
}

TEST(Census, RefusesAFilterThatIsNoRegularExpression) {
  EXPECT_EQ(TakeCensus(SmallSnapshot(), {.filter = "f("}).status().message(),
            "the filter 'f(' is no regular expression: a parenthesis is not "
            "closed or opened; put a backslash before characters meant "
            "literally");
  EXPECT_THAT(
      TakeCensus(SmallSnapshot(), {.filter = "(a)\\1"}).status().message(),
      ::testing::HasSubstr("back-references are not supported"));
}

TEST(Census, AFilterOnAVeryLongNameNeitherOverflowsNorHangs) {
  Snapshot s = SmallSnapshot("L" + std::string(300000, 'a'));
  EXPECT_EQ(Take(s, {.filter = "^(a|aa)+$"}).matched.current.blocks, 0u);
}

TEST(Census, RefusesSizeClassesAtThePeak) {
  EXPECT_FALSE(
      TakeCensus(SmallSnapshot(), {.by = GroupBy::kSizeClass, .peak = true})
          .ok());
}

TEST(Census, ACutListKnowsWhatItLeftOut) {
  const Census census = Take(SmallSnapshot(), {.top = 1});
  EXPECT_EQ(census.groups.size(), 1u);
  EXPECT_EQ(census.omitted_groups, 3u);
  EXPECT_EQ(census.omitted.current, (Measure{4, 150, 192}));
}

TEST(CallTree, ShowsCallersFirst) {
  const Snapshot s = SmallSnapshot();
  const Census census = Take(s, {});
  const CallTree tree = BuildCallTree(census, {});
  ASSERT_FALSE(tree.nodes.empty());
  EXPECT_EQ((*census.table)[tree.nodes[0].frame].function, "main");
  EXPECT_EQ(tree.nodes[0].total, (Measure{4, 1140, 1200}));
  EXPECT_EQ(tree.nodes[0].self, Measure());
  EXPECT_EQ(tree.nodes[0].children, 3u);
  EXPECT_EQ(tree.total, (Measure{5, 1150, 1216}));
  EXPECT_EQ(tree.nodes.back().reason, 1u);
}

TEST(CallTree, InvertedShowsTheAllocationSiteFirst) {
  const Snapshot s = SmallSnapshot();
  const Census census = Take(s, {});
  const CallTree tree =
      BuildCallTree(census, {.inverted = true, .fold_library = true});
  std::vector<std::string> tops;
  for (const CallTreeNode& node : tree.nodes) {
    if (node.depth == 0 && node.reason == 0) {
      tops.emplace_back((*census.table)[node.frame].function);
    }
  }
  EXPECT_THAT(tops,
              ::testing::ElementsAre("Recurse", "Fill(int)", "libx.so+0x234"));
}

TEST(CallTree, SumsUpBranchesThatAreTooSmall) {
  const Snapshot s = SmallSnapshot();
  const CallTree tree = BuildCallTree(Take(s, {}), {.min_share = 0.1});
  EXPECT_EQ(tree.cut_children, 1u);
  EXPECT_EQ(tree.cut, (Measure{1, 10, 16}));
  EXPECT_EQ(tree.nodes[0].cut_children, 1u);
  EXPECT_EQ(tree.nodes[0].cut, (Measure{1, 40, 48}));
}

class CensusModel : public ::testing::TestWithParam<uint64_t> {
 protected:
  CensusModel()
      : snapshot_(MakeSyntheticSnapshot({.seed = GetParam(),
                                         .blocks = 500 + GetParam() % 700,
                                         .tracebacks = 60,
                                         .depth = 12,
                                         .functions = 25})) {
    SyntheticNamer namer;
    if (GetParam() % 3 != 0) {
      EXPECT_TRUE(AddNames(snapshot_, namer).ok());
    }
  }
  Snapshot snapshot_;
};

// Goes through the blocks one by one with nothing but maps.
TEST_P(CensusModel, EveryGroupingAgreesWithANaiveCount) {
  FrameTable table;
  const SnapshotFrames frames(snapshot_, table);
  for (const GroupBy by : {GroupBy::kFunction, GroupBy::kModule}) {
    std::map<std::string, Measure> self, total;
    for (size_t i = 0; i < snapshot_.blocks.size(); ++i) {
      const Measure block = snapshot_.blocks[i];
      const uint32_t id = snapshot_.blocks.traceback[i];
      std::vector<std::string> path;
      std::string site;
      for (const FrameRef ref : frames.OfTraceback(id)) {
        const Frame& f = table[ref];
        path.emplace_back(by == GroupBy::kFunction ? f.function : f.module);
        if (site.empty() && !IsLibraryFrame(f)) site = path.back();
      }
      if (path.empty()) {
        path.push_back(
            "(" + std::string(id < 16 ? ReasonName(id) : "empty stack") + ")");
      }
      if (site.empty()) site = path.front();
      self[site] += block;
      for (const std::string& name :
           std::set<std::string>(path.begin(), path.end())) {
        total[name] += block;
      }
    }
    const Census census = Take(snapshot_, {.by = by});
    Measure sum;
    for (const CensusGroup& group : census.groups) {
      EXPECT_EQ(group.self.current, self[group.name]) << group.name;
      EXPECT_EQ(group.total.current, total[group.name]) << group.name;
      sum += group.self.current;
    }
    EXPECT_EQ(sum, SumOf(snapshot_.blocks));
    for (const auto& [name, measure] : total) {
      EXPECT_NE(Find(census, name), nullptr) << name;
    }
  }
}

TEST_P(CensusModel, SizeClassesAndTracebacksSumUpToTheHeap) {
  for (const GroupBy by :
       {GroupBy::kTraceback, GroupBy::kSizeClass, GroupBy::kFile}) {
    for (const size_t top : {0, 5}) {
      const Census census = Take(snapshot_, {.by = by, .top = top});
      Measure sum = census.omitted.current;
      for (const CensusGroup& group : census.groups) sum += group.self.current;
      EXPECT_EQ(sum, SumOf(snapshot_.blocks));
    }
  }
}

TEST_P(CensusModel, ATreeSumsUpAtEveryNode) {
  const Census census = Take(snapshot_, {});
  for (const bool inverted : {false, true}) {
    for (const bool fold : {false, true}) {
      for (const double share : {0.0, 0.02}) {
        const CallTree tree = BuildCallTree(
            census,
            {.inverted = inverted, .fold_library = fold, .min_share = share});
        // What each node says about its children, minus the children.
        std::vector<Measure> open = {tree.total - tree.cut};
        std::vector<uint32_t> left = {UINT32_MAX};
        for (const CallTreeNode& node : tree.nodes) {
          while (open.size() > node.depth + 1) {
            EXPECT_EQ(open.back(), Measure());
            EXPECT_EQ(left.back(), 0u);
            open.pop_back();
            left.pop_back();
          }
          open.back() -= node.total;
          --left.back();
          open.push_back(node.total - node.self - node.cut);
          left.push_back(node.children);
        }
        for (const Measure& rest : open) EXPECT_EQ(rest, Measure());
        EXPECT_EQ(tree.total, SumOf(snapshot_.blocks));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CensusModel, ::testing::Range<uint64_t>(1, 31));

}  // namespace
}  // namespace heaptally
