// The JSON that the page is given: exact fields of small snapshots.
#include "snapshot/view_json.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/books.h"
#include "snapshot/view_testing.h"

namespace heaptally {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::pair<std::string, std::string>>;

Json Parse(const std::function<absl::Status(std::ostream&)>& write) {
  std::ostringstream out;
  const absl::Status status = write(out);
  EXPECT_TRUE(status.ok()) << status;
  return Json::parse(out.str());
}

Json RowsOf(const std::shared_ptr<const Analysis>& analysis,
            const Words& words) {
  const absl::StatusOr<Query> query = ParseQuery(words);
  EXPECT_TRUE(query.ok()) << query.status();
  const absl::StatusOr<RowsRequest> request = ParseRowsRequest(words);
  EXPECT_TRUE(request.ok()) << request.status();
  const auto table = Rows(analysis, *query);
  return Parse([&](auto& out) { return RowsJson(*table, *request, out); });
}

Json BlocksOf(const std::shared_ptr<const Analysis>& analysis,
              const Words& words) {
  const absl::StatusOr<Query> query = ParseQuery(words);
  EXPECT_TRUE(query.ok()) << query.status();
  const absl::StatusOr<IndividualsRequest> request =
      ParseIndividualsRequest(words);
  EXPECT_TRUE(request.ok()) << request.status();
  const auto table = Rows(analysis, *query);
  return Parse(
      [&](auto& out) { return IndividualsJson(*table, *request, out); });
}

TEST(ViewJson, RowsSayWhatTheyHoldAndWhatWasLeftOut) {
  const Json rows = RowsOf(
      SmallAnalysis(), {{"of", "3"}, {"by", "function"}, {"filter", "fill"}});
  EXPECT_EQ(rows["of"], "3");
  EXPECT_EQ(rows["kind"], "snapshot");
  EXPECT_EQ(rows["total_rows"], 2);
  EXPECT_EQ(rows["matched"]["current"], Json({2, 100, 128}));
  EXPECT_EQ(rows["left_out"]["current"], Json({3, 1050, 1088}));
  EXPECT_EQ(rows["whole"]["current"], Json({5, 1150, 1216}));
  EXPECT_EQ(rows["matched_by"], nullptr);
  EXPECT_EQ(rows["sentence"],
            "128 B in 2 blocks; all of it from Fill(int), fill.cc:42");
  const Json& fill = rows["rows"][0];
  EXPECT_EQ(fill["name"], "Fill(int)");
  EXPECT_EQ(fill["kind"], "group");
  EXPECT_EQ(fill["file"], "/src/fill.cc");
  EXPECT_EQ(fill["line"], 42);
  EXPECT_EQ(fill["module"], "app");
  EXPECT_EQ(fill["self"]["current"], Json({2, 100, 128}));
  EXPECT_EQ(fill["total"]["ever"].size(), 3u);
  EXPECT_EQ(fill["children"], 1);
  EXPECT_EQ(fill["tracebacks"], 1);
}

TEST(ViewJson, RowsOfAPairHaveSignsAndSayWhatMatched) {
  const Json rows = RowsOf(PairAnalysis(), {{"by", "inverted"}});
  EXPECT_EQ(rows["kind"], "comparison");
  EXPECT_EQ(rows["matched_by"], "block address and birth epoch");
  EXPECT_EQ(rows["sentence"],
            "+96 B, 0 blocks; most of it, +64 B, from Recurse, main.cc:20");
  EXPECT_EQ(rows["matched"]["net"], Json({0, 100, 96}));
  EXPECT_EQ(rows["rows"][3]["kind"], "reason");
  EXPECT_EQ(rows["rows"][3]["self"]["net"], Json({-1, -10, -16}));
}

TEST(ViewJson, AFilterThatMatchesNothingIsSaid) {
  const Json rows = RowsOf(SmallAnalysis(), {{"filter", "no such thing"}});
  EXPECT_EQ(rows["total_rows"], 0);
  EXPECT_EQ(rows["sentence"], "Nothing passes the filter");
}

TEST(ViewJson, ATreeIsNested) {
  const auto table = Rows(SmallAnalysis(), {});
  const Json tree = Parse([&](auto& out) { return TreeJson(*table, {}, out); });
  EXPECT_EQ(tree["whole"], 1216);
  const Json& root = tree["root"];
  EXPECT_EQ(root["v"], Json({0, 1216}));
  EXPECT_EQ(root["c"][0]["name"], "main");
  EXPECT_EQ(root["c"][0]["v"], Json({0, 1200}));
  EXPECT_EQ(root["c"][0]["c"][0]["c"][0]["v"], Json({1024, 1024}));
  EXPECT_EQ(root["c"][1]["kind"], "reason");
  EXPECT_EQ(tree["cut"], Json({{"nodes", 0}, {"total", 0}}));
  const Json few = Parse([&](auto& out) {
    return TreeJson(*table, {0, 3}, out);
  });
  EXPECT_EQ(few["cut"], Json({{"nodes", 3}, {"total", 192}}));
}

TEST(ViewJson, ATreeOfAPairHasBothDirections) {
  const auto table = Rows(PairAnalysis(), {.by = GroupBy::kModule});
  const Json tree = Parse([&](auto& out) { return TreeJson(*table, {}, out); });
  EXPECT_EQ(tree["root"]["v"], Json({0, 96}));
  EXPECT_EQ(tree["root"]["added"], 176);
  EXPECT_EQ(tree["root"]["freed"], 80);
  EXPECT_EQ(tree["root"]["survived"], 1136);
}

TEST(ViewJson, IndividualsOfARow) {
  const Json blocks =
      BlocksOf(SmallAnalysis(), {{"by", "size-class"}, {"path", "s64"}});
  EXPECT_EQ(blocks["total"], 2);
  EXPECT_EQ(blocks["rows"][0], Json({{"address", "0x10000"},
                                     {"requested", 50},
                                     {"usable", 64},
                                     {"epoch", 1},
                                     {"age", 2},
                                     {"traceback", 16},
                                     {"side", "comparison"},
                                     {"change", nullptr}}));
  const Json largest =
      BlocksOf(SmallAnalysis(), {{"sort", "usable"}, {"limit", "1"}});
  EXPECT_EQ(largest["total"], 5);
  EXPECT_EQ(largest["rows"][0]["usable"], 1024);
}

TEST(ViewJson, IndividualsOfAPairSayWhatBecameOfThem) {
  const Json blocks = BlocksOf(PairAnalysis(), {});
  std::vector<std::string> lines;
  for (const Json& block : blocks["rows"]) {
    lines.push_back(block["address"].get<std::string>() + " " +
                    block["change"].get<std::string>());
  }
  EXPECT_THAT(lines, ::testing::ElementsAre("0x10000 survived", "0x10040 freed",
                                            "0x10040 new", "0x20000 survived",
                                            "0x30000 survived", "0x40000 freed",
                                            "0x50000 new"));
}

TEST(ViewJson, PagesOfIndividualsHaveNoGaps) {
  const auto analysis = AnalysisOf(MakeSyntheticSnapshot({.blocks = 300}));
  for (const char* sort : {"address", "requested", "usable", "age"}) {
    for (const char* descending : {"0", "1"}) {
      std::set<std::string> seen;
      for (int offset = 0; offset < 300; offset += 37) {
        const Json page =
            BlocksOf(analysis, {{"sort", sort},
                                {"desc", descending},
                                {"offset", std::to_string(offset)},
                                {"limit", "37"}});
        EXPECT_EQ(page["total"], 300);
        for (const Json& block : page["rows"]) {
          EXPECT_TRUE(seen.insert(block["address"]).second);
        }
      }
      EXPECT_EQ(seen.size(), 300u) << sort;
    }
  }
}

TEST(ViewJson, AStackWithAddressesAndText) {
  const Json stack = Parse([](auto& out) {
    return StackJson(*SmallAnalysis(), {.traceback = 16}, out);
  });
  ASSERT_EQ(stack["frames"].size(), 3u);
  EXPECT_EQ(stack["frames"][0]["short"],
            "void std::vector<\u2026>::push_back(int)");
  EXPECT_EQ(stack["frames"][0]["inlined"], true);
  EXPECT_EQ(stack["frames"][1]["address"], "0x1020");
  EXPECT_EQ(stack["end"], "complete");
  EXPECT_EQ(stack["reason"], nullptr);
  EXPECT_EQ(stack["text"],
            "void std::vector<int, std::allocator<int> >::push_back(int)  "
            "/usr/include/c++/12/bits/stl_vector.h:1287  (app)  inlined\n"
            "Fill(int)  /src/fill.cc:42  (app)\n"
            "main  /src/main.cc:7  (app)\n");
  const Json none = Parse([](auto& out) {
    return StackJson(*SmallAnalysis(), {.traceback = 1}, out);
  });
  EXPECT_EQ(none["reason"], "allocated while stacks were not recorded");
  std::ostringstream out;
  EXPECT_EQ(StackJson(*SmallAnalysis(), {.traceback = 99}, out).message(),
            "there is no traceback 99 in small.heaptally");
}

TEST(ViewJson, TheSummaryOfASnapshot) {
  const Json summary =
      Parse([](auto& out) { return SummaryJson(*SmallAnalysis(), {}, out); });
  EXPECT_EQ(summary["kind"], "snapshot");
  EXPECT_EQ(summary["facts"]["pid"], 4242);
  EXPECT_EQ(summary["totals"]["current"], Json({5, 1150, 1216}));
  EXPECT_EQ(summary["top"][0]["name"], "Recurse");
  EXPECT_EQ(summary["peak_top"][0]["name"], "Recurse");
  EXPECT_EQ(summary["sizes"][2], Json({{"usable", 64},
                                       {"blocks", 2},
                                       {"requested", 100},
                                       {"usable_bytes", 128}}));
  EXPECT_EQ(summary["coverage"]["with_stack"], Json({4, 1140, 1200}));
  EXPECT_EQ(summary["coverage"]["reasons"][0]["reason"], "before_recording");
  EXPECT_EQ(summary["books"]["balanced"], true);
  EXPECT_THAT(summary["books"]["sentence"].get<std::string>(),
              testing::StartsWith("Side headers, tracebacks, the process's "
                                  "counters and the blocks of the file agree "
                                  "in blocks, requested and usable bytes;"));
  EXPECT_EQ(summary["capture"]["pause_ms"], 1.25);
}

TEST(ViewJson, TheNoteOfASampledSnapshotIsInPlainWords) {
  Snapshot s = SmallSnapshot();
  s.facts.Set("mode", "sampled");
  s.recording =
      std::vector<format::RecordingEntry>{{1, format::kSampled, 512, 0}};
  const auto analysis = AnalysisOf(s);
  EXPECT_THAT(analysis->notes(),
              testing::Contains(
                  "Stacks were sampled: a traceback counts only the blocks "
                  "that were sampled, the others stand under blocks without a "
                  "stack; the estimate says what the sampled blocks stand "
                  "for."));
}

TEST(ViewJson, TheSummaryOfAPair) {
  const Json summary =
      Parse([](auto& out) { return SummaryJson(*PairAnalysis(), {}, out); });
  EXPECT_EQ(summary["kind"], "comparison");
  EXPECT_EQ(summary["totals"]["net"], Json({0, 100, 96}));
  ASSERT_EQ(summary["grown"].size(), 2u);
  EXPECT_EQ(summary["grown"][0]["name"], "Recurse");
  ASSERT_EQ(summary["shrunk"].size(), 1u);
  EXPECT_EQ(summary["shrunk"][0]["kind"], "reason");
  EXPECT_EQ(summary["sizes"][0]["freed"], Json({1, 10, 16}));
}

TEST(ViewJson, TheSummaryIsOfWhatTheFilterLetsPass) {
  const Json rows =
      RowsOf(SmallAnalysis(), {{"by", "function"}, {"filter", "recurse"}});
  const Json summary = Parse([](auto& out) {
    return SummaryJson(*SmallAnalysis(), {.filter = "recurse"}, out);
  });
  EXPECT_EQ(summary["filter"], true);
  EXPECT_EQ(summary["totals"], rows["matched"]);
  EXPECT_NE(summary["totals"], rows["whole"]);
  EXPECT_EQ(summary["books"]["balanced"], true);
  uint64_t blocks = 0;
  for (const Json& size : summary["sizes"]) {
    blocks += size["blocks"].get<uint64_t>();
  }
  EXPECT_EQ(blocks, rows["matched"]["current"][0].get<uint64_t>());
  std::ostringstream out;
  const Query wrong = {.filter = "(", .syntax = FilterSyntax::kRegex};
  EXPECT_FALSE(SummaryJson(*SmallAnalysis(), wrong, out).ok());
}

TEST(ViewJson, RefusesFiltersThatMightNeverEnd) {
  std::string long_one;
  for (int i = 0; i < 300; ++i) long_one += ".*";
  const std::pair<std::string, std::string> filters[] = {
      {"(?=.*(?=.*q))",
       "the filter '(?=.*(?=.*q))' looks ahead, which is not supported; what "
       "must not match can be excluded"},
      {long_one,
       "the filter has 600 characters, and at most 500 are understood"}};
  for (const auto& [filter, sentence] : filters) {
    const Query query = {.filter = filter, .syntax = FilterSyntax::kRegex};
    EXPECT_EQ(RowTable::Build(SmallAnalysis(), query).status().message(),
              sentence);
  }
}

TEST(ViewJson, RowsOfAPairComeInTheDirectionOfTheNet) {
  const Json grown = RowsOf(PairAnalysis(), {{"by", "function"}});
  EXPECT_EQ(grown["sort"], "net");
  EXPECT_EQ(grown["desc"], true);
  const Json shrunk = RowsOf(
      PairAnalysis(), {{"by", "function"}, {"filter", "stacks were not"}});
  EXPECT_EQ(shrunk["matched"]["net"], Json({-1, -10, -16}));
  EXPECT_EQ(shrunk["desc"], false);
  EXPECT_EQ(RowsOf(PairAnalysis(), {{"sort", "net"}, {"desc", "1"}})["desc"],
            true);
  EXPECT_EQ(RowsOf(SmallAnalysis(), {{"by", "stack"}})["sort"], "total");
}

TEST(ViewJson, SizeClassesHaveNamesForPeople) {
  const Json rows =
      RowsOf(SmallAnalysis(), {{"by", "size-class"}, {"sort", "name"}});
  const Json& last = rows["rows"].back();
  EXPECT_EQ(last["key"], "s1024");
  EXPECT_EQ(last["name"], "1.00 KiB");
  EXPECT_EQ(last["self"], Json({{"current", {1, 1000, 1024}}}));
  EXPECT_EQ(last["total"], Json({{"current", {1, 1000, 1024}}}));
}

TEST(ViewJson, SizeClassesHaveNoValuesAtThePeakOrEver) {
  for (const char* series : {"at_peak", "ever"}) {
    EXPECT_EQ(ParseQuery(Words{{"by", "size-class"}, {"series", series}})
                  .status()
                  .message(),
              "by=size-class shows only series=current, because sizes at the "
              "peak and since the start are not recorded; take another by");
  }
  EXPECT_TRUE(
      ParseQuery(Words{{"by", "size-class"}, {"series", "current"}}).ok());
}

TEST(ViewJson, WhatIsCutOfAComparisonIsItsArea) {
  const auto table = Rows(PairAnalysis(), {.by = GroupBy::kFunction});
  const Json tree = Parse([&](auto& out) {
    return TreeJson(*table, {.min_share = 1, .max_nodes = 1}, out);
  });
  // 176 new, 80 freed, 1136 survived.
  EXPECT_EQ(tree["cut"]["total"], 1392);
}

TEST(ViewJson, ASentenceSaysWhetherAFilterWasSet) {
  const auto same = PairOf(SmallSnapshot(), SmallSnapshot());
  EXPECT_EQ(RowsOf(same, {})["sentence"],
            "Nothing changed: 5 blocks survived, 1.19 KiB");
  EXPECT_EQ(RowsOf(same, {{"filter", "fill"}})["sentence"],
            "Nothing changed in what the filter lets pass: 2 blocks survived, "
            "128 B");
}

TEST(ViewJson, BadParametersAreSaid) {
  EXPECT_EQ(ParseQuery(Words{{"by", "moon"}}).status().message(),
            "by cannot be 'moon'; take stack, inverted, function, file, line, "
            "module or size-class");
  EXPECT_EQ(ParseRowsRequest(Words{{"limit", "20000"}}).status().message(),
            "limit cannot be '20000'; take a number up to 10,000");
  EXPECT_EQ(ParseTreeRequest(Words{{"min_share", "2"}}).status().message(),
            "min_share cannot be '2'; take a number from 0 to 1");
  EXPECT_EQ(ParseRowsRequest(Words{{"desc", "x"}}).status().message(),
            "desc cannot be 'x'; take 0 or 1");
}

}  // namespace
}  // namespace heaptally
