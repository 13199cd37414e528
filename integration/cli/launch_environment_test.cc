#include "integration/cli/launch_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heaptally::cli {
namespace {

using ::testing::ElementsAre;

TEST(MergeOptions, TheCommandLineWinsOverTheVariable) {
  EXPECT_EQ(*MergeOptions("mode=counters,depth=8", {{"mode", "all"}}),
            "depth=8,mode=all");
}

TEST(MergeOptions, KeepsWhatOnlyTheVariableSays) {
  EXPECT_EQ(*MergeOptions("max_tracebacks=64", {{"control", "on"}}),
            "max_tracebacks=64,control=on");
  EXPECT_EQ(*MergeOptions("", {{"control", "on"}}), "control=on");
}

TEST(MergeOptions, RefusesAComma) {
  const auto merged = MergeOptions("", {{"at_exit", "/tmp/a,b"}});
  EXPECT_EQ(merged.status().message(),
            "/tmp/a,b has a comma, which the variable HEAPTALLY cannot "
            "express; use another path");
}

TEST(LaunchEnvironment, PutsTheRuntimeBeforeTheUsersOwnLibraries) {
  EXPECT_THAT(LaunchEnvironment({"A=1", "LD_PRELOAD=/x.so", "B=2"}, "/r.so",
                                "mode=all"),
              ElementsAre("A=1", "LD_PRELOAD=/r.so:/x.so", "B=2",
                          "HEAPTALLY=mode=all"));
}

TEST(LaunchEnvironment, AnEmptyPreloadIsNone) {
  EXPECT_THAT(LaunchEnvironment({"LD_PRELOAD="}, "/r.so", "m"),
              ElementsAre("LD_PRELOAD=/r.so", "HEAPTALLY=m"));
}

TEST(LaunchEnvironment, ANameThatOnlyBeginsAlikeIsAnother) {
  EXPECT_EQ(ValueOf({"LD_PRELOADED=x"}, "LD_PRELOAD"), "");
}

}  // namespace
}  // namespace heaptally::cli
