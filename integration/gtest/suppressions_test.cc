#include "integration/gtest/suppressions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heaptally::gtest {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

int Match(const std::string& function, const std::string& file = "",
          const std::string& module = "") {
  const FrameName frame{"", function, file, 1, module};
  const FrameName caller{"", "main", "main.cc", 2, "/bin/program"};
  return Suppressions::Match({&frame, &caller});
}

TEST(Suppressions, MatchWholeNamesOnly) {
  ASSERT_EQ(Suppressions::Add("function: Cache::.*"), "");
  EXPECT_GE(Match("Cache::Fill(int)"), 0);
  EXPECT_EQ(Match("ns::Cache::Fill(int)"), -1);
  EXPECT_EQ(Match("CacheUser()"), -1);
  ASSERT_EQ(Suppressions::Add("function: Load"), "");
  EXPECT_GE(Match("Load(std::function<void (int)>)"), 0);
  EXPECT_EQ(Match("Loader()"), -1);
  ASSERT_EQ(Suppressions::Add("function: Exact\\(int\\)"), "");
  EXPECT_GE(Match("Exact(int)"), 0);
  EXPECT_EQ(Match("Exact(char)"), -1);
}

TEST(Suppressions, MatchFilesAndModules) {
  ASSERT_EQ(Suppressions::Add("file: .*/legacy/.*"), "");
  EXPECT_GE(Match("A()", "/src/legacy/a.cc"), 0);
  EXPECT_EQ(Match("A()", "/src/new/legacy.cc"), -1);
  ASSERT_EQ(Suppressions::Add(" module: .*/libold\\.so "), "");
  EXPECT_GE(Match("A()", "", "/lib/libold.so"), 0);
  EXPECT_EQ(Match("A()", "", "/lib/libold.so.1"), -1);
}

TEST(Suppressions, KnowWhichWereOfNoUse) {
  ASSERT_EQ(Suppressions::Add("function: Never"), "");
  ASSERT_EQ(Suppressions::Add("function: Once"), "");
  const int number = Match("Once()");
  EXPECT_EQ(Suppressions::TextOf(number), "function: Once");
  EXPECT_THAT(Suppressions::Unused(), Contains("function: Never"));
  EXPECT_THAT(Suppressions::Unused(), Not(Contains("function: Once")));
}

TEST(Suppressions, RefuseWhatMeansNothing) {
  EXPECT_THAT(Suppressions::Add("leak:foo"), HasSubstr("begins with none"));
  EXPECT_THAT(Suppressions::Add("function:"), HasSubstr("no regular"));
  EXPECT_THAT(Suppressions::Add("function: ("), HasSubstr("function: ("));
}

TEST(Suppressions, SayWhichLineOfAFileIsWrong) {
  const std::string path = ::testing::TempDir() + "heaptally-suppressions";
  std::ofstream(path) << "# why\n\nfunction: FromFile\nfoo\n";
  EXPECT_THAT(Suppressions::AddFile(path), HasSubstr(":4: 'foo'"));
  EXPECT_GE(Match("FromFile()"), 0);
  EXPECT_THAT(Suppressions::AddFile("/none"), HasSubstr("cannot read /none"));
}

}  // namespace
}  // namespace heaptally::gtest
