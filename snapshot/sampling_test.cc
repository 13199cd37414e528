// Estimates from sampled blocks, and how reports show them.
#include "snapshot/sampling.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/report_testing.h"
#include "snapshot/small_snapshot.h"

namespace heaptally {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace heaptally
