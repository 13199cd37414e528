// A report as JSON, read back by another parser.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "snapshot/json_writer.h"
#include "snapshot/report_testing.h"
#include "snapshot/small_snapshot.h"

namespace heaptally {
namespace {

using nlohmann::json;

TEST(ReportJson, HasWhatOthersRelyOn) {
  const json report = Json(SmallSnapshot());
  EXPECT_EQ(report["process"]["pid"], 4242);
  EXPECT_EQ(report["process"]["command"], "./monsters --many");
  EXPECT_EQ(report["process"]["started"], "2023-11-14T22:13:20.000000000Z");
  EXPECT_EQ(report["process"]["taken"], "2023-11-14T22:13:32.500000000Z");
  EXPECT_EQ(report["mode"], "all");
  EXPECT_EQ(report["totals"]["current"], MeasureJson(5, 1150, 1216));
  EXPECT_TRUE(report["totals"].contains("peak"));
  EXPECT_TRUE(report["totals"].contains("ever"));
  EXPECT_EQ(report["books"]["balanced"], true);
  EXPECT_EQ(report["books"]["side_headers"], MeasureJson(5, 1150, 1216));
  EXPECT_EQ(report["books"]["tracebacks"], MeasureJson(5, 1150, 1216));
  EXPECT_EQ(report["books"]["process"], MeasureJson(5, 1150, 1216));
  EXPECT_EQ(report["books"]["jemalloc_allocated"], 1216);
  EXPECT_EQ(report["cost"]["pause_ms"], 1.25);
  EXPECT_EQ(report["cost"]["duration_ms"], 98);
  EXPECT_EQ(report["cost"]["bytes"], 0);
  EXPECT_EQ(report["coverage"]["foreign_frees"], 0);
  EXPECT_EQ(report["coverage"]["without_stack"],
            json({{"before_recording", 1}}));
  EXPECT_EQ(report["omitted"]["tracebacks"], 0);
  EXPECT_EQ(report["omitted"]["blocks"], 0);
  EXPECT_EQ(report["omitted"]["usable"], 0);
}

TEST(ReportJson, GivesTracebacksInnermostFirstWithInlinedFrames) {
  const json tracebacks = Json(SmallSnapshot())["tracebacks"];
  ASSERT_EQ(tracebacks.size(), 4u);
  const json& fill = tracebacks[1];
  EXPECT_EQ(fill["id"], 16);
  EXPECT_EQ(fill["blocks"], 2);
  EXPECT_EQ(fill["requested"], 100);
  EXPECT_EQ(fill["usable"], 128);
  EXPECT_TRUE(fill.contains("at_peak_usable"));
  EXPECT_TRUE(fill.contains("ever_blocks"));
  EXPECT_EQ(fill["walk_end"], "complete");
  const json& frames = fill["frames"];
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0]["function"],
            "void std::vector<int, std::allocator<int> >::push_back(int)");
  EXPECT_EQ(frames[0]["inlined"], true);
  EXPECT_EQ(frames[1], json({{"function", "Fill(int)"},
                             {"file", "/src/fill.cc"},
                             {"line", 42},
                             {"module", "app"},
                             {"inlined", false}}));
  EXPECT_EQ(frames[2]["function"], "main");
  EXPECT_EQ(tracebacks[3]["reason"], "before_recording");
  EXPECT_EQ(tracebacks[3]["frames"], json::array());
}

TEST(ReportJson, SumsAreCompleteWithAndWithoutACut) {
  const Snapshot s = MakeSyntheticSnapshot({.blocks = 900, .tracebacks = 70});
  for (const size_t top : {0, 7}) {
    const json report = Json(s, {.top = top});
    uint64_t blocks = report["omitted"]["blocks"];
    uint64_t usable = report["omitted"]["usable"];
    for (const json& traceback : report["tracebacks"]) {
      blocks += traceback["blocks"].get<uint64_t>();
      usable += traceback["usable"].get<uint64_t>();
    }
    EXPECT_EQ(blocks, report["totals"]["current"]["blocks"]);
    EXPECT_EQ(usable, report["totals"]["current"]["usable"]);
  }
}

TEST(ReportJson, GroupsHaveNamesAndTotals) {
  const json report = Json(SmallSnapshot(), {.by = GroupBy::kFunction});
  EXPECT_EQ(report["by"], "function");
  EXPECT_EQ(report["tracebacks"], json::array());
  EXPECT_EQ(report["omitted"], json({{"tracebacks", 0},
                                     {"groups", 0},
                                     {"blocks", 0},
                                     {"requested", 0},
                                     {"usable", 0}}));
  EXPECT_EQ(report["groups"][0]["name"], "Recurse");
  EXPECT_EQ(report["groups"][0]["usable"], 1024);
  EXPECT_EQ(report["groups"][0]["total"]["usable"], 1024);
}

TEST(ReportJson, ACutOfGroupsCountsThemBesideTheTracebacks) {
  const json omitted =
      Json(SmallSnapshot(), {.by = GroupBy::kFunction, .top = 1})["omitted"];
  EXPECT_EQ(omitted, json({{"tracebacks", 0},
                           {"groups", 5},
                           {"blocks", 4},
                           {"requested", 150},
                           {"usable", 192}}));
}

TEST(ReportJson, GivesEachEndOfAWalk) {
  const std::pair<uint32_t, const char*> ends[] = {
      {1, "complete"},  {2, "depth_limit"},   {3, "no_rule"},
      {4, "bad_frame"}, {5, "foreign_stack"}, {9, "unknown"}};
  for (const auto& [root, name] : ends) {
    const json tracebacks = Json(SmallSnapshotFromRoot(root))["tracebacks"];
    EXPECT_EQ(tracebacks[0]["walk_end"], name);
    EXPECT_EQ(tracebacks[1]["walk_end"], "complete");
  }
}

TEST(ReportJson, SaysThatTheBooksDoNotBalance) {
  Snapshot s = SmallSnapshot();
  s.facts.Set("side_headers.blocks", 6);
  EXPECT_EQ(Json(s)["books"]["balanced"], false);
  s = SmallSnapshot();
  s.blocks.usable = std::vector<uint64_t>{64, 64, 1024, 48, 32};
  EXPECT_EQ(Json(s)["books"]["balanced"], false);
}

TEST(ReportJson, IsValidForNamesThatAreNoText) {
  Snapshot s = SmallSnapshot("bad\xff\"\\\x01\xc3\xa4");
  EXPECT_EQ(Json(s)["tracebacks"][0]["frames"][0]["function"],
            "bad\xef\xbf\xbd\"\\\x01\xc3\xa4");
}

TEST(JsonWriter, WritesNumbersWithoutLoss) {
  std::ostringstream out;
  JsonWriter writer(out);
  writer.BeginArray(true);
  writer.Number(UINT64_MAX);
  writer.Signed(INT64_MIN);
  writer.Real(NAN);
  writer.Real(0.5);
  writer.Bool(true);
  writer.Null();
  writer.BeginObject();
  writer.EndObject();
  writer.EndArray();
  EXPECT_EQ(out.str(),
            "[18446744073709551615, -9223372036854775808, null, 0.5, true, "
            "null, {}]\n");
}

}  // namespace
}  // namespace heaptally
