// A report as text, compared line by line.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/report_testing.h"
#include "snapshot/small_snapshot.h"
#include "snapshot/text_format.h"

namespace heaptally {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportText, ShowsTotalsFirstThenTheTableThenTheTree) {
  const std::string text = Text(SmallSnapshot(), {.top = 20});
  EXPECT_THAT(text, HasSubstr(R"(
              blocks  requested    usable    requested / usable exactly
  current          5   1.12 KiB  1.19 KiB    1,150 / 1,216 bytes
)"));
  EXPECT_THAT(text, HasSubstr(R"(
  coverage   4 of 5 blocks, 98.7 % of usable, have a stack; without one:
             1 block (16 B): allocated while stacks were not recorded
)"));
  EXPECT_THAT(text, HasSubstr(R"(
  4 tracebacks; % is of 1.19 KiB usable

  #    usable       %  blocks  requested   at peak  ever  id

  1  1.00 KiB  84.2 %       1     1000 B  1.00 KiB     2  17
      Recurse  /src/main.cc:20
      Recurse  /src/main.cc:20
      main  /src/main.cc:7

  2     128 B  10.5 %       2      100 B     128 B     4  16
      void std::vector<int, std::allocator<int> >::push_back(int)  stl_vector.h:1287 (inlined)
      Fill(int)  /src/fill.cc:42
      main  /src/main.cc:7
)"));
  EXPECT_THAT(text, HasSubstr(R"(
     usable        %       blocks
   1.17 KiB   98.7 %            4   main  /src/main.cc:7
   1.00 KiB   84.2 %            1   ├ Recurse  /src/main.cc:20
                                    │ Recurse  /src/main.cc:20
      128 B   10.5 %            2   ├ Fill(int)  /src/fill.cc:42
       48 B    3.9 %            1   └ libx.so+0x234
       16 B    1.3 %            1   (allocated while stacks were not recorded)
)"));
}

TEST(ReportText, SaysWhyStacksEndEarlyAndMarksThem) {
  const std::pair<uint32_t, const char*> ends[] = {{2, "depth limit"},
                                                   {3, "no unwind rule"},
                                                   {4, "bad frame"},
                                                   {5, "foreign stack"}};
  for (const auto& [root, why] : ends) {
    const std::string text = Text(SmallSnapshotFromRoot(root), {.top = 20});
    EXPECT_THAT(
        text,
        HasSubstr(absl::StrCat(
            "             1 block (16 B): allocated while stacks were not "
            "recorded\n             1 traceback (1 block, 1.00 KiB usable) "
            "ends early: ",
            why, " 1\n")));
    EXPECT_THAT(text,
                HasSubstr(absl::StrCat("\n      Recurse  /src/main.cc:20\n"
                                       "      Recurse  /src/main.cc:20\n"
                                       "      \u2026 the stack goes on: ",
                                       why, "\n\n")));
  }
}

TEST(ReportText, CountsTheStacksThatEndEarlyByReason) {
  Snapshot s = SmallSnapshotFromRoot(2);
  std::vector<uint32_t> parent(s.nodes.parent.begin(), s.nodes.parent.end());
  parent[s.tracebacks.node[16]] = 3;
  parent[s.tracebacks.node[18]] = 2;
  s.nodes.parent = parent;
  EXPECT_THAT(Text(s), HasSubstr("\n             3 tracebacks (4 blocks, 1.17 "
                                 "KiB usable) end early: depth limit 2, no "
                                 "unwind rule 1\n"));
}

TEST(ReportText, SaysNothingOfEndsWhereEveryWalkWasComplete) {
  const std::string text = Text(SmallSnapshot());
  EXPECT_THAT(text, Not(HasSubstr("early")));
  EXPECT_THAT(text, Not(HasSubstr("the stack goes on")));
}

TEST(ReportText, MarksALongStackThatEndsEarlyBehindItsCut) {
  Snapshot s = SmallSnapshot();
  std::vector<uint32_t> parent(s.nodes.parent.begin(), s.nodes.parent.end());
  std::vector<uint64_t> pc(s.nodes.pc.begin(), s.nodes.pc.end());
  std::vector<uint32_t> node(s.tracebacks.node.begin(),
                             s.tracebacks.node.end());
  for (uint32_t above = 2, i = 0; i < 20; ++i) {
    parent.push_back(above);
    pc.push_back(0x1030);
    above = node[17] = static_cast<uint32_t>(parent.size() - 1);
  }
  s.nodes.parent = parent;
  s.nodes.pc = pc;
  s.tracebacks.node = node;
  s.names = Names();
  EXPECT_THAT(Text(s, {.top = 1}),
              HasSubstr("      app+0x30\n      \u2026 9 outer frames\n"
                        "      \u2026 the stack goes on: depth limit\n"));
}

// Columns are of the whole program.
class Columns {
 public:
  explicit Columns(size_t columns) { SetTextColumns(columns); }
  ~Columns() { SetTextColumns(0); }
};

TEST(ReportText, CutsNoNamesWhereThereIsNoTerminal) {
  const std::string name =
      absl::StrCat("Very::", std::string(200, 'x'), "(int)");
  EXPECT_THAT(Text(SmallSnapshot(name), {.by = GroupBy::kFunction}),
              HasSubstr(name + "\n"));
  const Columns terminal(100);
  EXPECT_THAT(Text(SmallSnapshot(name), {.by = GroupBy::kFunction}),
              Not(HasSubstr(name)));
}

TEST(ReportText, SaysThatAFilterMatchesNothingAndWhatItIs) {
  EXPECT_THAT(Text(SmallSnapshot(), {.filter = "FILL"}),
              HasSubstr("nothing matches: --filter is a regular expression"));
  EXPECT_THAT(Text(SmallSnapshot(), {.filter = "Fill"}),
              Not(HasSubstr("nothing matches")));
}

TEST(ReportText, BoundsTheCallTreeAndSaysWhatItLeftOut) {
  Snapshot s = MakeSyntheticSnapshot(
      {.blocks = 3000, .tracebacks = 60, .depth = 40, .functions = 500});
  SyntheticNamer namer;
  ASSERT_TRUE(AddNames(s, namer).ok());
  EXPECT_THAT(Text(s, {.top = 20}),
              HasSubstr("the 100 largest rows of the call tree; "));
  EXPECT_THAT(Text(s, {.top = 0}), Not(HasSubstr("largest rows")));
}

TEST(ReportText, FitsAHundredColumns) {
  const Columns terminal(100);
  Snapshot s = SmallSnapshot("Very::" + std::string(200, 'x') + "<int>::Long");
  for (const GroupBy by : {GroupBy::kTraceback, GroupBy::kFunction,
                           GroupBy::kFile, GroupBy::kSizeClass}) {
    for (const absl::string_view line :
         absl::StrSplit(Text(s, {.by = by, .top = 5}), '\n')) {
      EXPECT_LE(TextWidth(line), 100u) << line;
    }
  }
}

TEST(ReportText, SaysWhatACutListLeftOut) {
  EXPECT_THAT(
      Text(SmallSnapshot(), {.top = 1}),
      HasSubstr("  \u2026 3 more tracebacks, 4 blocks, 192 B usable not "
                "shown; --top 0 shows all\n"));
}

TEST(ReportText, BalancedBooksNameWhatAgrees) {
  EXPECT_THAT(Text(SmallSnapshot()),
              HasSubstr("  books      balanced: side headers, tracebacks and "
                        "the process's counters"));
}

TEST(ReportText, SaysThatTheBooksDoNotBalance) {
  Snapshot s = SmallSnapshot();
  s.facts.Set("side_headers.blocks", 6);
  EXPECT_THAT(Text(s), HasSubstr("  books      NOT BALANCED"));
}

TEST(ReportText, SaysHowExactThePeakIs) {
  Snapshot s = SmallSnapshot();
  EXPECT_THAT(Text(s), HasSubstr("  peak       exact\n"));
  s.facts.Set("peak_bound", 65536);
  EXPECT_THAT(Text(s), HasSubstr("  peak       at most 64.0 KiB too low"));
}

TEST(ReportText, NamesTheModulesWithoutNames) {
  Snapshot s = SmallSnapshot();
  s.names.missing.push_back({"/lib/libx.so", "", "install libx-dbgsym"});
  EXPECT_THAT(Text(s),
              HasSubstr("  names      libx.so: install libx-dbgsym\n"));
  s.names = Names();
  EXPECT_THAT(Text(s), HasSubstr("'heaptally pack small.heaptally' adds them"));
}

TEST(ReportText, PrintsNothingThatCouldSteerATerminal) {
  Snapshot s = SmallSnapshot("evil\x1b[2J\x07");
  s.facts.Set("command", "sh\x1b]0;x\x07");
  s.notes.Set("label",
              "\x9b"
              "1m");
  for (const GroupBy by : {GroupBy::kTraceback, GroupBy::kFunction}) {
    const std::string text = Text(s, {.by = by});
    for (const char c : text) {
      EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
    }
    EXPECT_THAT(text, HasSubstr("evil\\x1b[2J\\x07"));
  }
}

}  // namespace
}  // namespace heaptally
