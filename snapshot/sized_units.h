// What the units of an analysis have in each size class. Immutable once made;
// any thread may read it.
#ifndef HEAPTALLY_SNAPSHOT_SIZED_UNITS_H_
#define HEAPTALLY_SNAPSHOT_SIZED_UNITS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "snapshot/analysis.h"
#include "snapshot/size_classes.h"

namespace heaptally {

class SizedUnits {
 public:
  explicit SizedUnits(const Analysis& analysis);

  // The distinct usable sizes of all blocks, ascending.
  const std::vector<uint64_t>& sizes() const { return sizes_; }
  // What the units have in one size class, of a snapshot only current. Every
  // call sums the blocks of that size anew.
  std::vector<SizedUnit> Of(uint64_t usable) const;
  // By size class: the sum of the units that pass, and which of them have such
  // blocks. Two threads share the work.
  struct Total {
    Values values;
    std::vector<uint32_t> units;
  };
  std::vector<Total> Totals(const std::vector<bool>& passes) const;
  // By size class: the sum of all.
  std::vector<Values> AllSums() const;

 private:
  class ByUnit;
  // `by_unit` is cleared and used where units have to be told apart.
  Total TotalOf(uint64_t usable, const std::vector<bool>& passes,
                ByUnit& by_unit) const;
  Values SumOf(uint64_t usable, ByUnit& by_unit) const;
  template <typename Work>
  void ByTwoThreads(Work work) const;
  struct Sum;
  class Passing;
  template <typename Sums>
  struct Visitor;
  template <typename Sums>
  void SumSnapshot(uint64_t usable, Sums& sums) const;
  template <typename Sums>
  void SumOneProcess(uint64_t usable, Sums& sums) const;
  void SumTwoProcesses(uint64_t usable, ByUnit& sums) const;

  const Analysis& analysis_;
  SizeClasses classes_;
  std::unique_ptr<const SizeClasses> baseline_;
  std::vector<uint64_t> sizes_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SIZED_UNITS_H_
