#include "snapshot/census.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace heaptally {
namespace {

void AddTracebacks(const RowTable& rows, Census& census) {
  const Analysis& analysis = rows.analysis();
  for (const uint32_t id : census.tracebacks) {
    CensusGroup group;
    group.traceback = id;
    group.reason = analysis.unit(id).reason();
    group.name = std::string(ReasonName(id));
    group.self = group.total = CensusValues::Of(analysis.values(id));
    census.groups.push_back(std::move(group));
  }
}

void AddGroups(RowTable& rows, Census& census) {
  for (const Row& row : rows.TopRows()) {
    CensusGroup group;
    group.name = GroupLabel(row);
    group.reason = row.kind == RowKind::kReason ? row.id : 0;
    group.self = CensusValues::Of(row.self);
    group.total = CensusValues::Of(row.total);
    census.groups.push_back(std::move(group));
  }
}

void SortAndCut(Census& census) {
  const auto key = [&](const CensusGroup& g) {
    const Measure& self = census.Shown(g.self);
    const Measure& total = census.Shown(g.total);
    return std::make_tuple(self.usable, total.usable, self.blocks);
  };
  std::sort(census.groups.begin(), census.groups.end(),
            [&](const CensusGroup& a, const CensusGroup& b) {
              const auto ka = key(a);
              const auto kb = key(b);
              if (ka != kb) return ka > kb;
              return std::tie(a.traceback, a.name) <
                     std::tie(b.traceback, b.name);
            });
  const size_t top = census.options.top;
  if (top == 0 || census.groups.size() <= top) return;
  for (size_t i = top; i < census.groups.size(); ++i) {
    census.omitted += census.groups[i].self;
  }
  census.omitted_groups = census.groups.size() - top;
  census.groups.resize(top);
}

}  // namespace

Query QueryOf(const ReportOptions& options) {
  Query query;
  query.by = options.by;
  query.inverted = options.inverted;
  query.filter = options.filter;
  query.exclude = options.exclude;
  query.syntax = FilterSyntax::kRegex;
  query.series = options.peak ? Series::kAtPeak : Series::kCurrent;
  query.fold = Fold::kSite;
  return query;
}

std::string GroupLabel(const Row& row) {
  if (row.usable != 0) return absl::StrCat(row.usable);
  if (row.kind != RowKind::kReason) return row.name;
  return absl::StrCat("(", row.id != 0 ? ReasonName(row.id) : "empty stack",
                      ")");
}

absl::StatusOr<Census> TakeCensus(const Snapshot& snapshot,
                                  const ReportOptions& options) {
  if (options.peak && options.by == GroupBy::kSizeClass) {
    return absl::InvalidArgumentError(
        "the size classes at the peak were not recorded; group the peak by "
        "traceback, function, file, line or module");
  }
  const auto analysis =
      Analysis::OfSnapshot(std::make_shared<Snapshot>(snapshot), nullptr);
  if (!analysis.ok()) return analysis.status();
  const auto rows = RowTable::Build(*analysis, QueryOf(options));
  if (!rows.ok()) return rows.status();
  Census census;
  census.options = options;
  census.estimated = (*analysis)->estimated();
  census.analysis = *analysis;
  census.table = (*analysis)->shared_table();
  census.frames = (*analysis)->frames();
  census.tracebacks = (*rows)->units();
  // Also by size class those of all series.
  census.whole = CensusValues::Of((*analysis)->whole());
  Values matched;
  for (const uint32_t id : census.tracebacks) {
    matched += (*analysis)->values(id);
  }
  census.matched = CensusValues::Of(matched);
  if (options.by == GroupBy::kTraceback) {
    AddTracebacks(**rows, census);
  } else {
    AddGroups(**rows, census);
  }
  SortAndCut(census);
  return census;
}

}  // namespace heaptally
