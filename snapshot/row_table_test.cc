// Rows: small snapshots with known answers, and random ones against a naive
// model.
#include "snapshot/row_table.h"

#include <map>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/books.h"
#include "snapshot/library_frames.h"
#include "snapshot/packer.h"
#include "snapshot/view_testing.h"

namespace heaptally {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "name self/total children" in usable bytes.
std::vector<std::string> Lines(RowTable& table, const RowRequest& request) {
  const absl::StatusOr<RowPage> page = table.Rows(request);
  EXPECT_TRUE(page.ok()) << page.status();
  std::vector<std::string> lines;
  if (!page.ok()) return lines;
  for (const Row& row : page->rows) {
    lines.push_back(absl::StrCat(row.name, " ", table.Shown(row.self).usable,
                                 "/", table.Shown(row.total).usable, " ",
                                 row.children));
  }
  return lines;
}

TEST(RowTable, ByStackGoesFromTheOutermostCallInwards) {
  const auto table = Rows(SmallAnalysis(), {});
  EXPECT_THAT(Lines(*table, {}),
              ElementsAre("main 0/1200 3",
                          "allocated while stacks were not recorded 16/16 0"));
  const std::string main = KeyOf(*table, "", "main");
  EXPECT_THAT(Lines(*table, {.path = main}),
              ElementsAre("Recurse 0/1024 1", "Fill(int) 128/128 0",
                          "libx.so+0x234 48/48 0"));
  const std::string recurse = KeyOf(*table, main, "Recurse");
  EXPECT_THAT(Lines(*table, {.path = recurse}),
              ElementsAre("Recurse 1024/1024 0"));
}

TEST(RowTable, UnfoldsTheFramesOfTheLibrary) {
  const auto table = Rows(SmallAnalysis(), {.fold = Fold::kNone});
  const std::string main = KeyOf(*table, "", "main");
  const std::string fill = KeyOf(*table, main, "Fill(int)");
  const absl::StatusOr<RowPage> page = table->Rows({.path = fill});
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->rows.size(), 1u);
  EXPECT_TRUE(page->rows[0].inlined);
  EXPECT_EQ(page->rows[0].self.current(), (Measure{2, 100, 128}));
}

TEST(RowTable, InvertedGoesFromTheAllocationSiteOutwards) {
  const auto table = Rows(SmallAnalysis(), {.inverted = true});
  EXPECT_THAT(Lines(*table, {}),
              ElementsAre("Recurse 1024/1024 1", "Fill(int) 128/128 1",
                          "libx.so+0x234 48/48 1",
                          "allocated while stacks were not recorded 16/16 0"));
  const std::string recurse = KeyOf(*table, "", "Recurse");
  EXPECT_THAT(Lines(*table, {.path = recurse}),
              ElementsAre("Recurse 1024/1024 1"));
}

TEST(RowTable, ByFunctionCountsAStackOnceAndOpensCallers) {
  const auto table = Rows(SmallAnalysis(), {.by = GroupBy::kFunction});
  EXPECT_THAT(Lines(*table, {}),
              ElementsAre("Recurse 1024/1024 1", "Fill(int) 128/128 1",
                          "libx.so+0x234 48/48 1",
                          "allocated while stacks were not recorded 16/16 0",
                          "main 0/1200 0"));
  const std::string recurse = KeyOf(*table, "", "Recurse");
  EXPECT_THAT(Lines(*table, {.path = recurse}),
              ElementsAre("Recurse 1024/1024 1"));
}

TEST(RowTable, ByModuleOpensFilesThenFunctionsThenCallers) {
  const auto table = Rows(SmallAnalysis(), {.by = GroupBy::kModule});
  EXPECT_THAT(Lines(*table, {}),
              ElementsAre("app 1152/1200 2", "libx.so 48/48 1",
                          "allocated while stacks were not recorded 16/16 0"));
  const std::string app = KeyOf(*table, "", "app");
  EXPECT_THAT(
      Lines(*table, {.path = app}),
      ElementsAre("/src/main.cc 1024/1200 2", "/src/fill.cc 128/128 1"));
  const std::string file = KeyOf(*table, app, "/src/main.cc");
  EXPECT_THAT(Lines(*table, {.path = file}),
              ElementsAre("Recurse 1024/1024 1", "main 0/1200 0"));
  const std::string function = KeyOf(*table, file, "Recurse");
  EXPECT_THAT(Lines(*table, {.path = function}),
              ElementsAre("Recurse 1024/1024 1"));
}

TEST(RowTable, ByLineNamesFileAndLine) {
  const auto table = Rows(SmallAnalysis(), {.by = GroupBy::kLine});
  EXPECT_THAT(
      Lines(*table, {}),
      ElementsAre("/src/main.cc:20 1024/1024 1", "/src/fill.cc:42 128/128 1",
                  "(unknown file of libx.so) 48/48 1",
                  "allocated while stacks were not recorded 16/16 0",
                  "/src/main.cc:7 0/1200 0"));
}

TEST(RowTable, BySizeClassOpensAllocationSites) {
  const auto table = Rows(SmallAnalysis(), {.by = GroupBy::kSizeClass});
  EXPECT_THAT(Lines(*table, {}),
              ElementsAre("1024 bytes 1024/1024 1", "64 bytes 128/128 1",
                          "48 bytes 48/48 1", "16 bytes 16/16 1"));
  EXPECT_THAT(Lines(*table, {.path = "s64"}),
              ElementsAre("Fill(int) 128/128 1"));
  EXPECT_THAT(Lines(*table, {.sort = RowSort::kName, .descending = false}),
              ElementsAre("16 bytes 16/16 1", "48 bytes 48/48 1",
                          "64 bytes 128/128 1", "1024 bytes 1024/1024 1"));
}

TEST(RowTable, FiltersByPlainTextWithoutCase) {
  const auto table = Rows(SmallAnalysis(), {.filter = "fILL"});
  EXPECT_EQ(table->matched().current(), (Measure{2, 100, 128}));
  EXPECT_EQ(table->left_out().current(), (Measure{3, 1050, 1088}));
  // Brackets are nothing special, and words of a reason are found.
  EXPECT_EQ(Rows(SmallAnalysis(), {.filter = "Fill(int"})->matched().current(),
            (Measure{2, 100, 128}));
  EXPECT_EQ(
      Rows(SmallAnalysis(), {.filter = "not recorded"})->matched().current(),
      (Measure{1, 10, 16}));
}

TEST(RowTable, FiltersByExpressionAndExcludes) {
  Query query = {.filter = "^(Fill|Rec)", .syntax = FilterSyntax::kRegex};
  EXPECT_EQ(Rows(SmallAnalysis(), query)->matched().current(),
            (Measure{3, 1100, 1152}));
  query.exclude = "Recurse";
  EXPECT_EQ(Rows(SmallAnalysis(), query)->matched().current(),
            (Measure{2, 100, 128}));
  query.filter = "no such thing";
  const auto none = Rows(SmallAnalysis(), query);
  EXPECT_THAT(Lines(*none, {}), IsEmpty());
  EXPECT_EQ(none->left_out().current(), none->whole().current());
}

TEST(RowTable, SaysWhatIsWrongWithAFilterOrAPath) {
  const Query bad = {.filter = "(", .syntax = FilterSyntax::kRegex};
  EXPECT_EQ(RowTable::Build(SmallAnalysis(), bad).status().message(),
            "the filter '(' is no regular expression: a parenthesis is not "
            "closed or opened; put a backslash before characters meant "
            "literally");
  const auto table = Rows(SmallAnalysis(), {});
  EXPECT_EQ(table->Rows({.path = "f99"}).status().message(),
            "there is no row 'f99' at the path 'f99' in this view; the "
            "snapshot, the grouping or the filter is another one than the path "
            "is of");
}

TEST(Analysis, IsCancelledBetweenItsSteps) {
  const auto snapshot = std::make_shared<Snapshot>(SmallSnapshot());
  uint64_t calls = 0;
  const auto cancel = [&](uint64_t done, uint64_t total) {
    EXPECT_LE(done, total);
    return ++calls < 2;
  };
  EXPECT_EQ(Analysis::OfSnapshot(snapshot, cancel).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(calls, 2u);
}

TEST(RowTable, KeysStayTheSame) {
  const auto once = Rows(SmallAnalysis(), {.by = GroupBy::kFunction});
  const auto again = Rows(SmallAnalysis(), {.by = GroupBy::kFunction});
  const absl::StatusOr<RowPage> a = once->Rows({});
  const absl::StatusOr<RowPage> b = again->Rows({.offset = 1, .limit = 2});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(b->rows[0].key, a->rows[1].key);
  EXPECT_EQ(b->rows[1].key, a->rows[2].key);
}

TEST(RowTable, OfAPairSortsByGrowth) {
  const auto table = Rows(PairAnalysis(), {.inverted = true});
  const absl::StatusOr<RowPage> page = table->Rows({});
  ASSERT_TRUE(page.ok());
  std::vector<std::string> lines;
  for (const Row& row : page->rows) {
    lines.push_back(absl::StrCat(row.name, " ", row.self.net().usable));
  }
  EXPECT_THAT(lines,
              ElementsAre("Recurse 64", "Fill(int) 48", "libx.so+0x234 0",
                          "allocated while stacks were not recorded -16"));
  EXPECT_EQ(page->rows[1].self.change().added, (Measure{1, 100, 112}));
  EXPECT_EQ(page->rows[1].self.change().freed, (Measure{1, 50, 64}));
  EXPECT_EQ(page->rows[1].self.change().survived, (Measure{1, 50, 64}));
  EXPECT_EQ(table->matched().net(), (NetMeasure{0, 100, 96}));
}

TEST(RowTable, LeavesOutRowsThatHoldNothingOfTheSeries) {
  Snapshot s = SmallSnapshot();
  std::vector<uint64_t> none(s.tracebacks.size(), 0);
  s.tracebacks.current = {none, none, none};
  const auto analysis = AnalysisOf(s);
  const absl::StatusOr<RowPage> now = Rows(analysis, {})->Rows({});
  ASSERT_TRUE(now.ok());
  EXPECT_EQ(now->total_rows, 0u);
  EXPECT_EQ(now->empty_rows, 2u);
  const absl::StatusOr<RowPage> peak =
      Rows(analysis, {.series = Series::kAtPeak})->Rows({});
  ASSERT_TRUE(peak.ok());
  EXPECT_EQ(peak->total_rows, 2u);
}

TEST(RowTable, ATreeAddsUpAndSaysWhatItCut) {
  const auto table = Rows(SmallAnalysis(), {.by = GroupBy::kModule});
  const RowTable::Tree whole = table->BuildTree(0, 0);
  std::vector<std::string> lines;
  for (const RowTable::TreeNode& node : whole.nodes) {
    lines.push_back(absl::StrCat(node.depth, " ", node.row.name, " ",
                                 node.area.current().usable));
  }
  EXPECT_THAT(
      lines,
      ElementsAre("0 app 1152", "1 /src/main.cc 1024", "2 Recurse 1024",
                  "1 /src/fill.cc 128", "2 Fill(int) 128", "0 libx.so 48",
                  "1 (unknown file of libx.so) 48", "2 libx.so+0x234 48",
                  "0 allocated while stacks were not recorded 16"));
  const RowTable::Tree few = table->BuildTree(0, 2);
  ASSERT_EQ(few.nodes.size(), 2u);
  EXPECT_EQ(few.nodes[0].cut.current().usable, 128u);
  EXPECT_EQ(few.cut_children, 2u);
  EXPECT_EQ(few.cut.current().usable, 64u);
  EXPECT_EQ(few.cut_total.current().usable, 1216u);
}

// Every grouping of random snapshots, against sums that are made the slow way.
class RowModel : public ::testing::TestWithParam<uint64_t> {
 protected:
  static std::shared_ptr<const Analysis> Random(uint64_t seed, bool pair) {
    Snapshot s = MakeSyntheticSnapshot({.seed = seed,
                                        .blocks = 400,
                                        .tracebacks = 60,
                                        .depth = 7,
                                        .functions = 25});
    SyntheticNamer namer;
    EXPECT_TRUE(AddNames(s, namer).ok());
    if (!pair) return AnalysisOf(s);
    Snapshot later = MakeSuccessor(s, seed + 1, 0.3, 150);
    if (seed % 2 == 1) later.facts.Set("process_id", "another");
    return PairOf(s, later);
  }

  // Pages of a few rows, until there are no more.
  static std::vector<Row> AllRows(RowTable& table, const std::string& path) {
    std::vector<Row> rows;
    RowRequest request = {.path = path, .limit = 7};
    for (;;) {
      const absl::StatusOr<RowPage> page = table.Rows(request);
      EXPECT_TRUE(page.ok()) << page.status();
      if (!page.ok() || page->rows.empty()) return rows;
      rows.insert(rows.end(), page->rows.begin(), page->rows.end());
      request.offset += page->rows.size();
      EXPECT_LE(rows.size(), page->total_rows);
    }
  }

  // The children of a row are as many as it says and hold no more than it.
  static void CheckChildren(RowTable& table, const Row& row,
                            const std::string& path, bool stack, int depth) {
    if (depth > 3) return;
    const std::vector<Row> children = AllRows(table, path);
    Values self;
    Values total;
    std::set<std::string> keys;
    for (const Row& child : children) {
      self += child.self;
      total += child.total;
      EXPECT_TRUE(keys.insert(child.key).second) << child.key;
      CheckChildren(table, child, absl::StrCat(path, ".", child.key), stack,
                    depth + 1);
    }
    EXPECT_LE(children.size(), row.children);
    const Measure below = table.Shown(stack ? total : self);
    const Measure own = table.Shown(stack ? row.self : Values());
    EXPECT_LE(below.blocks + own.blocks,
              table.Shown(stack ? row.total : row.self).blocks)
        << path;
    if (stack) {
      EXPECT_EQ(below + own, table.Shown(row.total)) << path;
    }
  }
};

TEST_P(RowModel, GroupsAreWhatASlowSumSays) {
  for (const bool pair : {false, true}) {
    const auto analysis = Random(GetParam(), pair);
    for (const GroupBy by : {GroupBy::kFunction, GroupBy::kFile, GroupBy::kLine,
                             GroupBy::kModule}) {
      const auto table = Rows(analysis, {.by = by, .series = Series::kEver});
      const FrameGroups& groups = analysis->Groups(by);
      std::map<std::string, Values> self;
      std::map<std::string, Values> total;
      for (uint32_t unit = 0; unit < analysis->size(); ++unit) {
        const auto frames = analysis->folded_stacks()[unit];
        std::set<std::string> names;
        for (const PackedFrame frame : frames) {
          names.insert(groups.names()[groups.OfFrame(frame.id())]);
        }
        for (const std::string& name : names) {
          total[name] += analysis->values(unit);
        }
        if (!frames.empty()) {
          self[groups.names()[groups.OfFrame(frames[0].id())]] +=
              analysis->values(unit);
        }
      }
      size_t found = 0;
      for (const Row& row : AllRows(*table, "")) {
        if (row.kind == RowKind::kReason) continue;
        ++found;
        EXPECT_EQ(row.self.of, self[row.name].of) << row.name;
        EXPECT_EQ(row.total.of, total[row.name].of) << row.name;
      }
      EXPECT_GT(found, 0u);
      for (const auto& [name, values] : total) found -= !values.IsZero();
      EXPECT_EQ(found, 0u);
    }
  }
}

TEST_P(RowModel, TopRowsSumUpToWhatMatchedAndChildrenToTheirParent) {
  for (const bool pair : {false, true}) {
    const auto analysis = Random(GetParam(), pair);
    for (const GroupBy by :
         {GroupBy::kTraceback, GroupBy::kFunction, GroupBy::kFile,
          GroupBy::kLine, GroupBy::kModule, GroupBy::kSizeClass}) {
      for (const bool inverted : {false, true}) {
        for (const char* filter : {"", "function_1"}) {
          const auto table = Rows(
              analysis, {.by = by, .inverted = inverted, .filter = filter});
          const bool stack = by == GroupBy::kTraceback && !inverted;
          Values sum;
          for (const Row& row : AllRows(*table, "")) {
            sum += stack ? row.total : row.self;
            CheckChildren(*table, row, row.key, stack, 0);
          }
          EXPECT_EQ(table->Shown(sum), table->Shown(table->matched()));
          EXPECT_EQ(table->matched().of[2] + table->left_out().of[2],
                    table->whole().of[2]);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RowModel, ::testing::Range<uint64_t>(1, 7));

}  // namespace
}  // namespace heaptally
