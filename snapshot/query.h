// What a view asks of an analysis: how to group, what to let pass, which values
// to show. Plain values, comparable, so that results can be kept by them.
// Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_QUERY_H_
#define HEAPTALLY_SNAPSHOT_QUERY_H_

#include <string>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/filter.h"
#include "snapshot/grouping.h"
#include "snapshot/measure.h"

namespace heaptally {

// The values of a snapshot that rows are measured by.
enum class Series { kCurrent, kAtPeak, kEver };
enum class Unit { kUsable, kRequested, kBlocks };
// What becomes of the frames of the C++ library.
enum class Fold {
  kNone,
  kSite,  // They stay, but blocks count for the frame that called them.
  kAll,   // They are left out, unless a stack has no others.
};

struct Query {
  GroupBy by = GroupBy::kTraceback;
  bool inverted = false;  // kTraceback from the allocation site outwards.
  std::string filter = {};
  std::string exclude = {};
  FilterSyntax syntax = FilterSyntax::kText;
  Series series = Series::kCurrent;
  Unit unit = Unit::kUsable;
  Fold fold = Fold::kAll;

  auto Key() const {
    return std::tie(by, inverted, filter, exclude, syntax, series, unit, fold);
  }
  friend bool operator==(const Query& a, const Query& b) {
    return a.Key() == b.Key();
  }
  friend bool operator<(const Query& a, const Query& b) {
    return a.Key() < b.Key();
  }
};

// The parameters of a request, as (name, value). A name that a parser does not
// know is for another one.
using Parameters = absl::Span<const std::pair<std::string, std::string>>;
// The value of `name`, `fallback` if there is none.
absl::string_view Parameter(Parameters parameters, absl::string_view name,
                            absl::string_view fallback = "");

// by=stack|inverted|function|file|line|module|size-class, filter, exclude,
// regex=0|1, series=current|at_peak|ever, unit=usable|requested|blocks,
// fold=0|1. Errors: a value that there is not, as a sentence; a filter is
// looked at when rows are made.
absl::StatusOr<Query> ParseQuery(Parameters parameters);
// "stack", "inverted" or the grouping's name.
absl::string_view QueryByName(const Query& query);
absl::string_view SeriesName(Series series);
absl::string_view UnitName(Unit unit);

inline uint64_t InUnit(const Measure& m, Unit unit) {
  return unit == Unit::kUsable      ? m.usable
         : unit == Unit::kRequested ? m.requested
                                    : m.blocks;
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_QUERY_H_
