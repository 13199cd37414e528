// What comparisons print: JSON read back by another parser, and text compared
// line by line.
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/compare.h"
#include "snapshot/report_testing.h"
#include "snapshot/small_snapshot.h"

namespace heaptally {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(CompareJson, HasWhatOthersRelyOn) {
  Snapshot later = SmallSnapshot();
  later.facts.Set("epoch", 4);
  later.blocks.traceback = std::vector<uint32_t>{16, 16, 17, 18, 17};
  later.blocks.epoch = std::vector<uint32_t>{1, 2, 2, 3, 4};
  BalanceBooks(later);
  const absl::StatusOr<Comparison> result = Compare(SmallSnapshot(), later, {});
  ASSERT_TRUE(result.ok());
  std::ostringstream out;
  ComparisonJson(SmallSnapshot(), later, *result, out);
  const json parsed = json::parse(out.str());
  EXPECT_EQ(parsed["matched_by"], "block address and birth epoch");
  EXPECT_EQ(parsed["totals"]["new"], MeasureJson(1, 10, 16));
  EXPECT_EQ(parsed["totals"]["freed"], MeasureJson(1, 10, 16));
  EXPECT_EQ(parsed["totals"]["survived"], MeasureJson(4, 1140, 1200));
  EXPECT_EQ(parsed["totals"]["net"], MeasureJson(0, 0, 0));
  EXPECT_EQ(parsed["tracebacks"][0]["net"], MeasureJson(1, 10, 16));
  EXPECT_EQ(parsed["tracebacks"][0]["frames"][0]["function"], "Recurse");
  EXPECT_EQ(parsed["tracebacks"].back()["net"]["usable"], -16);
  EXPECT_EQ(parsed["tracebacks"].back()["reason"], "before_recording");
}

TEST(CompareText, SaysInWordsWhetherTheHeapGrewOrShrank) {
  const auto text = [](const Snapshot& b, const CompareOptions& options) {
    const absl::StatusOr<Comparison> result =
        Compare(SmallSnapshot(), b, options);
    std::ostringstream out;
    if (result.ok()) RenderComparison(SmallSnapshot(), b, *result, out);
    return out.str();
  };
  Snapshot later = SmallSnapshot();
  later.facts.Set("epoch", 4);
  EXPECT_THAT(text(later, {}), HasSubstr("the heap neither grew nor shrank"));
  EXPECT_THAT(text(later, {}),
              HasSubstr("  Nothing changed in any of the 4 tracebacks.\n"));
  later.blocks.traceback = std::vector<uint32_t>{16, 16, 17, 18, 1};
  later.blocks.usable = std::vector<uint64_t>{64, 64, 2048, 48, 16};
  BalanceBooks(later);
  EXPECT_THAT(text(later, {}),
              HasSubstr("the heap grew by 1,024 usable bytes"));
  EXPECT_THAT(text(later, {.top = 20}), HasSubstr(R"(
        net       new     freed  survived  blocks: net  new  freed  survived  id

  +1.00 KiB  2.00 KiB  1.00 KiB       0 B            0    1      1         0  17
      Recurse  /src/main.cc:20
      Recurse  /src/main.cc:20
      main  /src/main.cc:7

  3 tracebacks without a change are not shown.
)"));
  later.blocks.usable = std::vector<uint64_t>{64, 64, 1008, 48, 16};
  BalanceBooks(later);
  EXPECT_THAT(text(later, {}), HasSubstr("the heap shrank by 16 usable bytes"));
}

TEST(CompareText, NamesBothProcessesAndSaysThatNothingMatches) {
  Snapshot other = SmallSnapshot();
  other.facts.Set("process_id", "another");
  other.facts.Set("command", "./ghosts");
  other.facts.Set("pid", 77);
  const CompareOptions options = {.filter = "no such thing"};
  const absl::StatusOr<Comparison> result =
      Compare(SmallSnapshot(), other, options);
  ASSERT_TRUE(result.ok());
  std::ostringstream out;
  RenderComparison(SmallSnapshot(), other, *result, out);
  EXPECT_THAT(out.str(), HasSubstr(R"(
  processes   ./monsters --many (pid 4242), the baseline
              ./ghosts (pid 77), the comparison
)"));
  EXPECT_THAT(out.str(),
              HasSubstr("nothing matches: --filter is a regular expression"));
}

TEST(CompareText, MarksAStackThatEndsEarly) {
  Snapshot later = SmallSnapshotFromRoot(4);
  later.facts.Set("epoch", 4);
  later.blocks.usable = std::vector<uint64_t>{64, 64, 2048, 48, 16};
  BalanceBooks(later);
  const absl::StatusOr<Comparison> result =
      Compare(SmallSnapshotFromRoot(4), later, {.top = 20});
  ASSERT_TRUE(result.ok());
  std::ostringstream text;
  RenderComparison(SmallSnapshotFromRoot(4), later, *result, text);
  EXPECT_THAT(text.str(), HasSubstr(R"(
      Recurse  /src/main.cc:20
      Recurse  /src/main.cc:20
      … the stack goes on: bad frame
)"));
  std::ostringstream out;
  ComparisonJson(SmallSnapshotFromRoot(4), later, *result, out);
  EXPECT_EQ(json::parse(out.str())["tracebacks"][0]["walk_end"], "bad_frame");
}

TEST(CompareJson, KeepsTheListOfTracebacksInOtherGroupings) {
  Snapshot later = SmallSnapshot();
  later.facts.Set("epoch", 4);
  const absl::StatusOr<Comparison> result =
      Compare(SmallSnapshot(), later, {.by = GroupBy::kFile, .top = 1});
  ASSERT_TRUE(result.ok());
  std::ostringstream out;
  ComparisonJson(SmallSnapshot(), later, *result, out);
  const json parsed = json::parse(out.str());
  EXPECT_EQ(parsed["tracebacks"], json::array());
  EXPECT_EQ(parsed["groups"].size(), 1u);
  EXPECT_EQ(parsed["omitted"]["tracebacks"], 0);
  EXPECT_GT(parsed["omitted"]["groups"], 0);
}

TEST(CompareText, ACutSaysWhatChangedAndHowManyDidNot) {
  Snapshot later = SmallSnapshot();
  later.facts.Set("epoch", 4);
  later.blocks.usable = std::vector<uint64_t>{64, 64, 2048, 48, 32};
  BalanceBooks(later);
  const absl::StatusOr<Comparison> result =
      Compare(SmallSnapshot(), later, {.top = 1});
  ASSERT_TRUE(result.ok());
  std::ostringstream out;
  RenderComparison(SmallSnapshot(), later, *result, out);
  EXPECT_THAT(out.str(), HasSubstr(R"(
  … 1 more tracebacks that changed not shown: net +16 B usable, new 1 block (32 B), freed 1 block
  (16 B); --top 0 shows all

  2 tracebacks without a change are not shown.
)"));
}

}  // namespace
}  // namespace heaptally
