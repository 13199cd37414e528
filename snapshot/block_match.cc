#include "snapshot/block_match.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "snapshot/block_merge.h"

namespace heaptally {
namespace {

// Finds the unit of a key and size class, making it if need be.
class Units {
 public:
  Units(size_t keys, bool by_size_class)
      : by_size_class_(by_size_class), of_key_(by_size_class ? 0 : keys, 0) {}

  MatchedUnit& At(uint32_t key, uint64_t usable) {
    uint32_t& place = by_size_class_ ? of_pair_[{key, usable}] : of_key_[key];
    if (place == 0) {
      units_.emplace_back().size_class = by_size_class_ ? usable : 0;
      place = static_cast<uint32_t>(units_.size());
    }
    return units_[place - 1];
  }
  std::vector<MatchedUnit> Take() { return std::move(units_); }

 private:
  const bool by_size_class_;
  std::vector<uint32_t> of_key_;  // Index of units_ + 1; 0: none yet.
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint32_t> of_pair_;
  std::vector<MatchedUnit> units_;
};

class EpochMatcher {
 public:
  EpochMatcher(const Snapshot& a, const Snapshot& b, bool by_size_class)
      : a_(a),
        b_(b),
        units_(std::max(a.tracebacks.size(), b.tracebacks.size()),
               by_size_class) {}

  MatchResult Run() {
    MergeBlocks(a_, b_, *this);
    result_.units = units_.Take();
    return std::move(result_);
  }

  // For MergeBlocks.
  void Free(size_t i) {
    const Blocks& a = a_.blocks;
    Of(a.traceback[i], a.usable[i]).change.freed += a[i];
  }
  void Add(size_t j) {
    const Blocks& b = b_.blocks;
    Of(b.traceback[j], b.usable[j]).change.added += b[j];
  }
  void Survive(size_t i, size_t) {
    const Blocks& a = a_.blocks;
    Of(a.traceback[i], a.usable[i]).change.survived += a[i];
  }
  void Resize(size_t i, size_t j) {
    ++result_.resized;
    Free(i);
    Add(j);
  }

 private:
  MatchedUnit& Of(uint32_t traceback, uint64_t usable) {
    MatchedUnit& unit = units_.At(traceback, usable);
    if (traceback < a_.tracebacks.size()) unit.baseline_traceback = traceback;
    if (traceback < b_.tracebacks.size()) unit.comparison_traceback = traceback;
    return unit;
  }

  const Snapshot& a_;
  const Snapshot& b_;
  Units units_;
  MatchResult result_;
};

// Turns "all of the baseline was freed, all of the comparison is new" into
// what must have changed at least.
void Settle(uint64_t Measure::*field, Change& change) {
  const uint64_t both = std::min(change.freed.*field, change.added.*field);
  change.survived.*field = both;
  change.freed.*field -= both;
  change.added.*field -= both;
}

}  // namespace

MatchResult MatchByEpoch(const Snapshot& baseline, const Snapshot& comparison,
                         bool by_size_class) {
  return EpochMatcher(baseline, comparison, by_size_class).Run();
}

MatchResult MatchByNumber(const Snapshot& baseline,
                          const std::vector<uint32_t>& baseline_numbers,
                          const Snapshot& comparison,
                          const std::vector<uint32_t>& comparison_numbers,
                          bool by_size_class) {
  uint32_t keys = 0;
  for (const std::vector<uint32_t>* numbers :
       {&baseline_numbers, &comparison_numbers}) {
    for (const uint32_t number : *numbers) keys = std::max(keys, number + 1);
  }
  Units units(keys, by_size_class);
  for (size_t i = 0; i < baseline.blocks.size(); ++i) {
    const uint32_t traceback = baseline.blocks.traceback[i];
    MatchedUnit& unit =
        units.At(baseline_numbers[traceback], baseline.blocks.usable[i]);
    unit.baseline_traceback = traceback;
    unit.change.freed += baseline.blocks[i];
  }
  for (size_t i = 0; i < comparison.blocks.size(); ++i) {
    const uint32_t traceback = comparison.blocks.traceback[i];
    MatchedUnit& unit =
        units.At(comparison_numbers[traceback], comparison.blocks.usable[i]);
    unit.comparison_traceback = traceback;
    unit.change.added += comparison.blocks[i];
  }
  MatchResult result;
  result.units = units.Take();
  for (MatchedUnit& unit : result.units) {
    Settle(&Measure::blocks, unit.change);
    Settle(&Measure::requested, unit.change);
    Settle(&Measure::usable, unit.change);
  }
  return result;
}

}  // namespace heaptally
