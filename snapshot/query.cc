#include "snapshot/query.h"

#include "snapshot/view_parts.h"

namespace heaptally {
namespace {

constexpr absl::string_view kSeries[] = {"current", "at_peak", "ever"};
constexpr absl::string_view kUnits[] = {"usable", "requested", "blocks"};
constexpr absl::string_view kSwitch[] = {"0", "1"};
constexpr absl::string_view kBy[] = {"stack", "inverted", "function",  "file",
                                     "line",  "module",   "size-class"};

}  // namespace

absl::string_view Parameter(Parameters parameters, absl::string_view name,
                            absl::string_view fallback) {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return fallback;
}

absl::StatusOr<Query> ParseQuery(Parameters parameters) {
  Query query;
  const absl::StatusOr<size_t> by = WordParameter(parameters, "by", kBy, 0);
  if (!by.ok()) return by.status();
  if (*by < 2) {
    query.inverted = *by == 1;
  } else {
    query.by = *ParseGroupBy(kBy[*by]);
  }
  query.filter = std::string(Parameter(parameters, "filter"));
  query.exclude = std::string(Parameter(parameters, "exclude"));
  const absl::StatusOr<size_t> regex =
      WordParameter(parameters, "regex", kSwitch, 0);
  if (!regex.ok()) return regex.status();
  query.syntax = *regex == 0 ? FilterSyntax::kText : FilterSyntax::kRegex;
  const absl::StatusOr<size_t> series =
      WordParameter(parameters, "series", kSeries, 0);
  if (!series.ok()) return series.status();
  query.series = static_cast<Series>(*series);
  if (query.by == GroupBy::kSizeClass && query.series != Series::kCurrent) {
    return absl::InvalidArgumentError(
        "by=size-class shows only series=current, because sizes at the peak "
        "and since the start are not recorded; take another by");
  }
  const absl::StatusOr<size_t> unit =
      WordParameter(parameters, "unit", kUnits, 0);
  if (!unit.ok()) return unit.status();
  query.unit = static_cast<Unit>(*unit);
  const absl::StatusOr<size_t> fold =
      WordParameter(parameters, "fold", kSwitch, 1);
  if (!fold.ok()) return fold.status();
  query.fold = *fold == 0 ? Fold::kNone : Fold::kAll;
  return query;
}

absl::string_view QueryByName(const Query& query) {
  if (query.by != GroupBy::kTraceback) return GroupByName(query.by);
  return query.inverted ? "inverted" : "stack";
}

absl::string_view SeriesName(Series series) {
  return kSeries[static_cast<int>(series)];
}

absl::string_view UnitName(Unit unit) { return kUnits[static_cast<int>(unit)]; }

}  // namespace heaptally
