#include "integration/cli/snapshot_name.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace heaptally::cli {
namespace {

class SnapshotName : public ::testing::Test {
 protected:
  SnapshotName() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

TEST_F(SnapshotName, HasCommandPidAndTime) {
  EXPECT_EQ(DefaultSnapshotName("redis-server", 71, 1769903999),
            "redis-server-71-20260131-235959.heaptally");
}

TEST_F(SnapshotName, UsesTheProgramOfACommandLine) {
  EXPECT_EQ(DefaultSnapshotName("/usr/bin/g++ -c a.cc", 1, 0),
            "g++-1-19700101-000000.heaptally");
}

TEST_F(SnapshotName, IsAPlainFileNameWhateverTheCommand) {
  EXPECT_EQ(DefaultSnapshotName("a\nb*c", 1, 0),
            "a_b_c-1-19700101-000000.heaptally");
  EXPECT_EQ(DefaultSnapshotName("-rf", 1, 0), "rf-1-19700101-000000.heaptally");
  EXPECT_EQ(DefaultSnapshotName("", 1, 0),
            "process-1-19700101-000000.heaptally");
}

}  // namespace
}  // namespace heaptally::cli
