// What a dump prints of sound and of damaged files.
#include "snapshot/dump.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/small_snapshot.h"
#include "snapshot/writer.h"

namespace heaptally {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

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

}  // namespace
}  // namespace heaptally
