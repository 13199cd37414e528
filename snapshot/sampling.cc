#include "snapshot/sampling.h"

#include <algorithm>
#include <cmath>

namespace heaptally {
namespace {

constexpr uint32_t kSampledOutId = 2;

// The sample interval in force at `epoch`; 0 if blocks were not sampled then.
uint64_t IntervalAt(const Column<format::RecordingEntry>& recording,
                    uint32_t epoch) {
  const auto* after = std::upper_bound(
      recording.begin(), recording.end(), epoch,
      [](uint32_t e, const format::RecordingEntry& r) { return e < r.epoch; });
  if (after == recording.begin()) return 0;
  const format::RecordingEntry& entry = *(after - 1);
  return entry.mode == format::kSampled ? entry.sample_interval : 0;
}

}  // namespace

double SampleWeight(uint64_t requested, uint64_t interval) {
  const double size = static_cast<double>(std::max<uint64_t>(requested, 1));
  return -1.0 / std::expm1(-size / static_cast<double>(interval));
}

std::vector<Estimate> EstimateTracebacks(const Snapshot& snapshot) {
  if (!snapshot.Sampled()) return {};
  std::vector<Estimate> estimates(snapshot.tracebacks.size());
  const Blocks& blocks = snapshot.blocks;
  // Neighbours mostly share epoch and size; so does their weight.
  uint32_t epoch = 0;
  uint64_t interval = IntervalAt(snapshot.recording, epoch);
  uint64_t size = 0;
  double size_weight = interval == 0 ? 1 : SampleWeight(size, interval);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const uint32_t traceback = blocks.traceback[i];
    if (traceback == kSampledOutId) continue;
    if (blocks.epoch[i] != epoch || blocks.requested[i] != size) {
      epoch = blocks.epoch[i];
      size = blocks.requested[i];
      interval = IntervalAt(snapshot.recording, epoch);
      size_weight = interval == 0 ? 1 : SampleWeight(size, interval);
    }
    const double weight = traceback < format::kFirstId ? 1 : size_weight;
    Estimate& e = estimates[traceback];
    e.blocks += weight;
    e.requested += weight * static_cast<double>(size);
    e.usable += weight * static_cast<double>(blocks.usable[i]);
  }
  return estimates;
}

}  // namespace heaptally
