// What reports, comparisons and dumps print: JSON read back by another parser,
// and text compared line by line.
#include "snapshot/report.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/books.h"
#include "snapshot/compare.h"
#include "snapshot/dump.h"
#include "snapshot/json_writer.h"
#include "snapshot/sampling.h"
#include "snapshot/small_snapshot.h"
#include "snapshot/text_format.h"
#include "snapshot/writer.h"

namespace heaptally {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

json Json(const Snapshot& s, const ReportOptions& options = {}) {
  std::ostringstream out;
  EXPECT_TRUE(ReportJson(s, options, out).ok());
  return json::parse(out.str());
}

std::string Text(const Snapshot& s, const ReportOptions& options = {}) {
  std::ostringstream out;
  EXPECT_TRUE(RenderReport(s, options, out).ok());
  return out.str();
}

json MeasureJson(uint64_t blocks, uint64_t requested, uint64_t usable) {
  return {{"blocks", blocks}, {"requested", requested}, {"usable", usable}};
}

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
  EXPECT_FALSE(report.contains("tracebacks"));
  EXPECT_EQ(report["groups"][0]["name"], "Recurse");
  EXPECT_EQ(report["groups"][0]["usable"], 1024);
  EXPECT_EQ(report["groups"][0]["total"]["usable"], 1024);
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

TEST(ReportText, FitsAHundredColumns) {
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

TEST(Sampling, WeighsABlockByTheProbabilityOfItsSample) {
  EXPECT_NEAR(SampleWeight(1 << 20, 512), 1, 1e-9);
  EXPECT_NEAR(SampleWeight(1, 1000), 1000.5, 0.01);
  EXPECT_EQ(SampleWeight(0, 1000), SampleWeight(1, 1000));
}

TEST(Sampling, UsesTheIntervalInForceAtABlocksBirth) {
  Snapshot s = SmallSnapshot();
  EXPECT_TRUE(EstimateTracebacks(s).empty());
  s.recording =
      std::vector<format::RecordingEntry>{{1, format::kAll, 0, 0},
                                          {2, format::kSampled, 100, 0},
                                          {3, format::kSampled, 40, 0}};
  const std::vector<Estimate> e = EstimateTracebacks(s);
  // Of traceback 16 one block was born in mode all, one every 100 bytes.
  EXPECT_DOUBLE_EQ(e[16].blocks, 1 + 1 / (1 - std::exp(-0.5)));
  EXPECT_DOUBLE_EQ(e[16].usable, 64 + 64 / (1 - std::exp(-0.5)));
  EXPECT_DOUBLE_EQ(e[18].blocks, 1 / (1 - std::exp(-1.0)));
  EXPECT_DOUBLE_EQ(e[1].blocks, 1);
  const json report = Json(s);
  EXPECT_EQ(report["estimated"], true);
  EXPECT_NEAR(report["tracebacks"][1]["estimated_blocks"], e[16].blocks, 1e-9);
  EXPECT_THAT(Text(s), HasSubstr("Blocks were sampled."));
}

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

class DumpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "dump_test.heaptally";
    ASSERT_TRUE(WriteSnapshot(SmallSnapshot(), path_).ok());
  }
  void TearDown() override { remove(path_.c_str()); }
  std::string Print(const DumpOptions& options) {
    std::ostringstream out;
    status_ = Dump(path_, options, out);
    return out.str();
  }
  std::string path_;
  absl::Status status_;
};

TEST_F(DumpTest, ShowsHeaderTableAndRowsAndSaysWhatItLeftOut) {
  const std::string text = Print({.rows = 2});
  EXPECT_TRUE(status_.ok());
  EXPECT_THAT(text, HasSubstr("  version        1.0\n"));
  EXPECT_THAT(text, HasSubstr("  0050  blocks.address"));
  EXPECT_THAT(text, HasSubstr(R"(
blocks.address
          0  0x10000
          1  0x10040
  … 3 of 5 rows not shown; --rows 0 or --all shows all
)"));
  EXPECT_THAT(Print({.rows = 0}), Not(HasSubstr("not shown")));
}

TEST_F(DumpTest, ShowsOneSection) {
  EXPECT_EQ(Print({.section = "notes"}),
            "\nnotes\n          0  label=after the feast\n");
  Print({.section = "dreams"});
  EXPECT_THAT(std::string(status_.message()),
              HasSubstr("has no section dreams; it has facts, capture, "));
}

TEST_F(DumpTest, ShowsTheSoundSectionsOfADamagedFile) {
  absl::StatusOr<std::string> bytes =
      EncodeSnapshot(SmallSnapshot(), {.pack = false});
  ASSERT_TRUE(bytes.ok());
  (*bytes)[bytes->find("after the feast")] = 'A';
  FILE* file = fopen(path_.c_str(), "wb");
  fwrite(bytes->data(), 1, bytes->size(), file);
  fclose(file);
  const std::string text = Print({});
  EXPECT_THAT(std::string(status_.message()),
              HasSubstr("section notes at offset "));
  EXPECT_THAT(text, HasSubstr("\nnotes\n  DAMAGED: "));
  EXPECT_THAT(text, HasSubstr("\nblocks.address\n          0  0x10000\n"));
}

TEST_F(DumpTest, IsValidJson) {
  const json parsed = json::parse(Print({.rows = 2, .json = true}));
  EXPECT_EQ(parsed["header"]["major"], 1);
  for (const json& section : parsed["sections"]) {
    if (section["name"] != "blocks.address") continue;
    EXPECT_EQ(section["count"], 5);
    EXPECT_EQ(section["rows"], json({"0x10000", "0x10040"}));
    EXPECT_EQ(section["rows_left_out"], 3);
  }
}

TEST(TextFormat, WritesBytesWithThreeSignificantDigits) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1024), "1.00 KiB");
  EXPECT_EQ(BytesText(10230), "9.99 KiB");
  EXPECT_EQ(BytesText(10236), "10.0 KiB");
  EXPECT_EQ(BytesText(1048575), "1.00 MiB");
  EXPECT_EQ(BytesText(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(SignedBytesText(INT64_MIN), "-8.00 EiB");
  EXPECT_EQ(ThousandsText(1234567), "1,234,567");
  EXPECT_EQ(ThousandsText(100), "100");
}

TEST(TextFormat, ShortensFunctionsByTheirTemplateArgumentsFirst) {
  EXPECT_EQ(FitFunction("Map<Key, Value>::Insert(Key)", 24),
            "Map<\u2026>::Insert(Key)");
  EXPECT_EQ(FitFunction("Insert", 4), "Ins\u2026");
  EXPECT_EQ(FitPath("/a/long/path.cc", 8), "\u2026path.cc");
}

}  // namespace
}  // namespace heaptally
