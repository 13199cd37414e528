#include "snapshot/sized_units.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>
#include <utility>

#include "snapshot/block_match.h"
#include "snapshot/block_merge.h"

namespace heaptally {

// Finds the place of a unit among those that were met.
class SizedUnits::ByUnit {
 public:
  explicit ByUnit(uint32_t units) : place_(units, 0) {}
  Values& At(uint32_t unit) {
    if (place_[unit] == 0) {
      found_.push_back({unit, {}});
      place_[unit] = static_cast<uint32_t>(found_.size());
    }
    return found_[place_[unit] - 1].values;
  }
  std::vector<SizedUnit>& found() { return found_; }
  void Clear() {
    for (const SizedUnit& unit : found_) place_[unit.unit] = 0;
    found_.clear();
  }

 private:
  std::vector<uint32_t> place_;  // In found_ + 1.
  std::vector<SizedUnit> found_;
};

// All units in one.
struct SizedUnits::Sum {
  Values values;
  Values& At(uint32_t) { return values; }
};

// The units that pass in one.
class SizedUnits::Passing {
 public:
  explicit Passing(const std::vector<bool>& passes)
      : passes_(passes), met_(passes.size(), false) {}
  Values& At(uint32_t unit) {
    if (!passes_[unit]) return others_;
    if (!met_[unit]) {
      met_[unit] = true;
      total_.units.push_back(unit);
    }
    return total_.values;
  }
  Total& total() { return total_; }

 private:
  const std::vector<bool>& passes_;
  std::vector<bool> met_;
  Values others_;
  Total total_;
};

SizedUnits::SizedUnits(const Analysis& analysis)
    : analysis_(analysis), classes_(analysis.snapshot().blocks) {
  if (!analysis.is_pair()) {
    sizes_ = classes_.sizes();
    return;
  }
  baseline_ = std::make_unique<const SizeClasses>(analysis.baseline()->blocks);
  std::set_union(classes_.sizes().begin(), classes_.sizes().end(),
                 baseline_->sizes().begin(), baseline_->sizes().end(),
                 std::back_inserter(sizes_));
}

template <typename Sums>
void SizedUnits::SumSnapshot(uint64_t usable, Sums& sums) const {
  const Blocks& blocks = analysis_.snapshot().blocks;
  for (const uint32_t i : classes_.BlocksOf(usable)) {
    sums.At(blocks.traceback[i]).of[0] += blocks[i];
  }
}

// Counts blocks as added, freed or survived; for MergeBlocks.
template <typename Sums>
struct SizedUnits::Visitor {
  const Analysis& analysis;
  Sums& sums;
  void Free(size_t i) const { Count(i, true, 1); }
  void Add(size_t j) const { Count(j, false, 0); }
  void Survive(size_t, size_t j) const { Count(j, false, 2); }
  void Resize(size_t i, size_t j) const {
    Free(i);
    Add(j);
  }
  void Count(size_t block, bool of_baseline, size_t series) const {
    const Blocks& blocks =
        of_baseline ? analysis.baseline()->blocks : analysis.snapshot().blocks;
    const uint32_t unit = analysis.UnitOf(blocks.traceback[block], of_baseline);
    sums.At(unit).of[series] += blocks[block];
  }
};

// A block that survived has the same size on both sides.
template <typename Sums>
void SizedUnits::SumOneProcess(uint64_t usable, Sums& sums) const {
  Visitor<Sums> visitor{analysis_, sums};
  MergeBlocks(*analysis_.baseline(), baseline_->BlocksOf(usable),
              analysis_.snapshot(), classes_.BlocksOf(usable), visitor);
}

void SizedUnits::SumTwoProcesses(uint64_t usable, ByUnit& sums) const {
  const Blocks& blocks = analysis_.snapshot().blocks;
  for (const uint32_t i : classes_.BlocksOf(usable)) {
    sums.At(analysis_.UnitOf(blocks.traceback[i], false)).of[0] += blocks[i];
  }
  const Blocks& before = analysis_.baseline()->blocks;
  for (const uint32_t i : baseline_->BlocksOf(usable)) {
    sums.At(analysis_.UnitOf(before.traceback[i], true)).of[1] += before[i];
  }
  for (SizedUnit& unit : sums.found()) {
    Change change = unit.values.change();
    SettleChange(change);
    unit.values.of = {change.added, change.freed, change.survived};
  }
}

std::vector<SizedUnit> SizedUnits::Of(uint64_t usable) const {
  ByUnit sums(analysis_.size());
  if (!analysis_.is_pair()) {
    SumSnapshot(usable, sums);
  } else if (analysis_.matched_by() == MatchedBy::kBirthEpoch) {
    SumOneProcess(usable, sums);
  } else {
    SumTwoProcesses(usable, sums);
  }
  return std::move(sums.found());
}

SizedUnits::Total SizedUnits::TotalOf(uint64_t usable,
                                      const std::vector<bool>& passes,
                                      ByUnit& by_unit) const {
  Passing passing(passes);
  if (!analysis_.is_pair()) {
    SumSnapshot(usable, passing);
  } else if (analysis_.matched_by() == MatchedBy::kBirthEpoch) {
    SumOneProcess(usable, passing);
  } else {
    by_unit.Clear();
    SumTwoProcesses(usable, by_unit);
    for (const SizedUnit& unit : by_unit.found()) {
      passing.At(unit.unit) += unit.values;
    }
  }
  return std::move(passing.total());
}

// Only blocks that are matched by unit have to be told apart by unit.
Values SizedUnits::SumOf(uint64_t usable, ByUnit& by_unit) const {
  Sum sum;
  if (!analysis_.is_pair()) {
    SumSnapshot(usable, sum);
  } else if (analysis_.matched_by() == MatchedBy::kBirthEpoch) {
    SumOneProcess(usable, sum);
  } else {
    by_unit.Clear();
    SumTwoProcesses(usable, by_unit);
    for (const SizedUnit& unit : by_unit.found()) sum.values += unit.values;
  }
  return sum.values;
}

// Calls work(i, by_unit) for every size, by this thread and another one.
template <typename Work>
void SizedUnits::ByTwoThreads(Work work) const {
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    ByUnit by_unit(analysis_.size());
    for (size_t i = next++; i < sizes_.size(); i = next++) work(i, by_unit);
  };
  std::thread other(run);
  run();
  other.join();
}

std::vector<SizedUnits::Total> SizedUnits::Totals(
    const std::vector<bool>& passes) const {
  std::vector<Total> totals(sizes_.size());
  ByTwoThreads([&](size_t i, ByUnit& by_unit) {
    totals[i] = TotalOf(sizes_[i], passes, by_unit);
  });
  return totals;
}

std::vector<Values> SizedUnits::AllSums() const {
  std::vector<Values> sums(sizes_.size());
  ByTwoThreads(
      [&](size_t i, ByUnit& by_unit) { sums[i] = SumOf(sizes_[i], by_unit); });
  return sums;
}

}  // namespace heaptally
