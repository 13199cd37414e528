// The figures of Google Benchmark's extra run for memory, without what it
// allocates itself.
#include <algorithm>
#include <memory>

#include "integration/gtest/measurement.h"
#include "integration/gtest/stack_filter.h"

namespace heaptally::gtest {
namespace {

// As it was before the extra run; so is the mode again after it.
struct Mode {
  heaptally_mode mode;
  uint64_t interval;
} before;

// Google Benchmark's manager of threads lives from before the measured code
// until after it, and so adds to each peak. What it allocates later, for
// counters, comes from deeper calls.
class ThreadManagers {
 public:
  void Look(uint32_t traceback, const heaptally_tally& tally) {
    const size_t depth = StackOf(traceback).size();
    if (depth > depth_ || (depth == depth_ && tally.usable < usable_)) return;
    depth_ = depth;
    usable_ = tally.usable;
  }
  uint64_t usable() const { return usable_; }

 private:
  size_t depth_ = SIZE_MAX;
  uint64_t usable_ = 0;
};

bool Counts(const Sorted& sorted) { return sorted.side == Side::kCounted; }

void Sum(const Measurement& measurement, BenchmarkTotals* totals) {
  const StackFilter filter(measurement.opener(), nullptr, "", false);
  ThreadManagers managers;
  for (const auto& [traceback, tally] : measurement.Allocations()) {
    if (Counts(filter.Sort(traceback))) {
      totals->allocations += static_cast<int64_t>(tally.blocks);
      totals->total += static_cast<int64_t>(tally.usable);
    } else {
      managers.Look(traceback, tally);
    }
  }
  const heaptally_interval& all = measurement.totals();
  totals->growth = static_cast<int64_t>(all.end.usable - all.start.usable);
  for (const heaptally_block& block : measurement.LiveBlocks()) {
    if (!Counts(filter.Sort(block.traceback))) {
      totals->growth -= static_cast<int64_t>(block.usable);
    }
  }
  const uint64_t peak = all.peak.usable - all.start.usable;
  if (totals->allocations != 0) {
    totals->peak =
        static_cast<int64_t>(peak - std::min(peak, managers.usable()));
  }
}

}  // namespace

Measurement* BeginBenchmark(std::string* error) {
  *error = WhyInactive();
  heaptally_counters counters;
  if (!error->empty() || heaptally_get_counters(&counters) != 0) return nullptr;
  before = {static_cast<heaptally_mode>(counters.mode),
            counters.sample_interval};
  auto measurement = std::make_unique<Measurement>();
  *error = measurement->Begin(HEAPTALLY_TELL_BLOCKS | HEAPTALLY_TELL_TRACEBACKS,
                              nullptr);
  return error->empty() ? measurement.release() : nullptr;
}

std::string EndBenchmark(Measurement* measurement, BenchmarkTotals* totals) {
  const std::unique_ptr<Measurement> owner(measurement);
  std::string error = measurement->Stop();
  if (error.empty()) Sum(*measurement, totals);
  if (heaptally_set_mode(before.mode, before.interval) != 0) {
    return "the stacks of blocks are recorded from here on: there were too "
           "many changes of what is recorded";
  }
  return error;
}

}  // namespace heaptally::gtest
