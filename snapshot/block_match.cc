#include "snapshot/block_match.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "snapshot/block_merge.h"

namespace heaptally {
namespace {

// Finds the unit of a key, making it if need be.
class Units {
 public:
  explicit Units(size_t keys) : of_key_(keys, 0) {}

  MatchedUnit& At(uint32_t key) {
    uint32_t& place = of_key_[key];
    if (place == 0) {
      units_.emplace_back();
      place = static_cast<uint32_t>(units_.size());
    }
    return units_[place - 1];
  }
  std::vector<MatchedUnit> Take() { return std::move(units_); }

 private:
  std::vector<uint32_t> of_key_;  // Index of units_ + 1; 0: none yet.
  std::vector<MatchedUnit> units_;
};

class EpochMatcher {
 public:
  EpochMatcher(const Snapshot& a, const Snapshot& b)
      : a_(a),
        b_(b),
        units_(std::max(a.tracebacks.size(), b.tracebacks.size())) {}

  MatchResult Run() {
    MergeBlocks(a_, b_, *this);
    result_.units = units_.Take();
    return std::move(result_);
  }

  // For MergeBlocks.
  void Free(size_t i) {
    const Blocks& a = a_.blocks;
    Of(a.traceback[i]).change.freed += a[i];
  }
  void Add(size_t j) {
    const Blocks& b = b_.blocks;
    Of(b.traceback[j]).change.added += b[j];
  }
  void Survive(size_t i, size_t) {
    const Blocks& a = a_.blocks;
    Of(a.traceback[i]).change.survived += a[i];
  }
  void Resize(size_t i, size_t j) {
    ++result_.resized;
    Free(i);
    Add(j);
  }

 private:
  MatchedUnit& Of(uint32_t traceback) {
    MatchedUnit& unit = units_.At(traceback);
    if (traceback < a_.tracebacks.size()) unit.baseline_traceback = traceback;
    if (traceback < b_.tracebacks.size()) unit.comparison_traceback = traceback;
    return unit;
  }

  const Snapshot& a_;
  const Snapshot& b_;
  Units units_;
  MatchResult result_;
};

void Settle(uint64_t Measure::*field, Change& change) {
  const uint64_t both = std::min(change.freed.*field, change.added.*field);
  change.survived.*field = both;
  change.freed.*field -= both;
  change.added.*field -= both;
}

}  // namespace

void SettleChange(Change& change) {
  Settle(&Measure::blocks, change);
  Settle(&Measure::requested, change);
  Settle(&Measure::usable, change);
}

MatchResult MatchByEpoch(const Snapshot& baseline, const Snapshot& comparison) {
  return EpochMatcher(baseline, comparison).Run();
}

MatchResult MatchByNumber(const Snapshot& baseline,
                          const std::vector<uint32_t>& baseline_numbers,
                          const Snapshot& comparison,
                          const std::vector<uint32_t>& comparison_numbers) {
  uint32_t keys = 0;
  for (const std::vector<uint32_t>* numbers :
       {&baseline_numbers, &comparison_numbers}) {
    for (const uint32_t number : *numbers) keys = std::max(keys, number + 1);
  }
  Units units(keys);
  for (size_t i = 0; i < baseline.blocks.size(); ++i) {
    const uint32_t traceback = baseline.blocks.traceback[i];
    MatchedUnit& unit = units.At(baseline_numbers[traceback]);
    unit.baseline_traceback = traceback;
    unit.change.freed += baseline.blocks[i];
  }
  for (size_t i = 0; i < comparison.blocks.size(); ++i) {
    const uint32_t traceback = comparison.blocks.traceback[i];
    MatchedUnit& unit = units.At(comparison_numbers[traceback]);
    unit.comparison_traceback = traceback;
    unit.change.added += comparison.blocks[i];
  }
  MatchResult result;
  result.units = units.Take();
  for (MatchedUnit& unit : result.units) SettleChange(unit.change);
  return result;
}

}  // namespace heaptally
