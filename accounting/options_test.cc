#include "accounting/options.h"

#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace heaptally {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parsed {
  Options options;
  std::string complaint;
};

Parsed Parse(const char* text) {
  Parsed parsed;
  ::testing::internal::CaptureStderr();
  ParseOptions(text, &parsed.options);
  parsed.complaint = ::testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(OptionsTest, ReadsEveryOption) {
  const Parsed p = Parse(
      "mode=sampled=512KiB,depth=64,min_size=100,at_exit=/tmp/a-%p.heaptally,"
      "control=on,socket_dir=/tmp/s,packer=/usr/bin/heaptally,env=clean,"
      "max_tracebacks=1000");
  EXPECT_EQ(p.complaint, "");
  EXPECT_EQ(p.options.mode, RecordingMode::kSampled);
  EXPECT_EQ(p.options.sample_interval, 512u << 10);
  EXPECT_EQ(p.options.depth, 64u);
  EXPECT_EQ(p.options.min_size, 100u);
  EXPECT_STREQ(p.options.at_exit, "/tmp/a-%p.heaptally");
  EXPECT_TRUE(p.options.control);
  EXPECT_STREQ(p.options.socket_dir, "/tmp/s");
  EXPECT_STREQ(p.options.packer, "/usr/bin/heaptally");
  EXPECT_TRUE(p.options.clean_environment);
  EXPECT_EQ(p.options.max_tracebacks, 1000u);
}

TEST(OptionsTest, NamesAnUnknownOptionAndGoesOn) {
  const Parsed p = Parse("colour=blue,mode=all");
  EXPECT_EQ(p.complaint,
            "heaptally: HEAPTALLY has no option 'colour'; it is ignored. "
            "Options: mode, depth, min_size, at_exit, control, socket_dir, "
            "packer, env, max_tracebacks\n");
  EXPECT_EQ(p.options.mode, RecordingMode::kAll);
}

TEST(OptionsTest, NamesABadValueAndKeepsTheDefault) {
  const Parsed p = Parse("depth=0");
  EXPECT_EQ(p.complaint,
            "heaptally: '0' is no value for the option depth in HEAPTALLY; the "
            "default is used. Values: 1..4096\n");
  EXPECT_EQ(p.options.depth, 512u);
  for (const char* bad :
       {"mode=some", "mode=sampled", "mode=sampled=", "mode=sampled=0",
        "mode=sampled=1X", "depth=5000", "depth=", "depth", "min_size=-1",
        "min_size=99999999999999999999", "control=yes", "env=1",
        "max_tracebacks=0", "at_exit="}) {
    EXPECT_THAT(Parse(bad).complaint, HasSubstr("is no value for the option"))
        << bad;
  }
}

TEST(OptionsTest, IgnoresEmptyElements) {
  const Parsed p = Parse(",,mode=all,,");
  EXPECT_EQ(p.complaint, "");
  EXPECT_EQ(p.options.mode, RecordingMode::kAll);
}

TEST(OptionsTest, CutsALongValueInTheMessageOnly) {
  const std::string text = "mode=" + std::string(5000, 'x');
  const Parsed p = Parse(text.c_str());
  EXPECT_THAT(p.complaint, HasSubstr("is no value for the option mode"));
  EXPECT_LT(p.complaint.size(), 800u);
}

TEST(OptionsTest, KnowsSizeSuffixes) {
  const std::vector<std::pair<const char*, uint64_t>> sizes = {
      {"min_size=7", 7},          {"min_size=7K", 7 << 10},
      {"min_size=7KiB", 7 << 10}, {"min_size=7M", 7 << 20},
      {"min_size=7MiB", 7 << 20}, {"min_size=1G", 1 << 30},
      {"min_size=1GiB", 1 << 30}};
  for (const auto& [text, bytes] : sizes) {
    EXPECT_EQ(Parse(text).options.min_size, bytes) << text;
  }
}

std::vector<std::string> Clean(std::vector<std::string> environment) {
  std::vector<char*> pointers;
  for (std::string& entry : environment) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  CleanEnvironment(pointers.data());
  std::vector<std::string> left;
  for (char** p = pointers.data(); *p != nullptr; ++p) left.push_back(*p);
  return left;
}

TEST(CleanEnvironmentTest, LeavesNothingOfOurs) {
  EXPECT_THAT(Clean({"A=1", "LD_PRELOAD=/opt/lib/libheaptally.so",
                     "HEAPTALLY=mode=all", "B=2"}),
              ElementsAre("A=1", "B=2"));
}

TEST(CleanEnvironmentTest, KeepsTheUsersOwnPreloads) {
  EXPECT_THAT(Clean({"LD_PRELOAD=/x/libheaptally.so:/y/libfoo.so:bar.so"}),
              ElementsAre("LD_PRELOAD=/y/libfoo.so:bar.so"));
  EXPECT_THAT(Clean({"LD_PRELOAD=/y/libfoo.so:/x/libheaptally.so"}),
              ElementsAre("LD_PRELOAD=/y/libfoo.so"));
}

TEST(CleanEnvironmentTest, KeepsVariablesThatOnlyLookLikeOurs) {
  EXPECT_THAT(Clean({"HEAPTALLY_HOME=1", "XHEAPTALLY=2", "LD_PRELOADX=3"}),
              ElementsAre("HEAPTALLY_HOME=1", "XHEAPTALLY=2", "LD_PRELOADX=3"));
}

}  // namespace
}  // namespace heaptally
