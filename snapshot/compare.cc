#include "snapshot/compare.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "snapshot/analysis.h"
#include "snapshot/books.h"
#include "snapshot/census.h"
#include "snapshot/row_table.h"

namespace heaptally {
namespace {

// The units that the filter lets pass, or the top rows that hold something of
// their own.
void AddGroups(RowTable& rows, Comparison& result) {
  if (result.options.by == GroupBy::kTraceback) {
    for (const uint32_t unit : rows.units()) {
      ComparedGroup& group = result.groups.emplace_back();
      const Analysis::Unit& ids = rows.analysis().unit(unit);
      group.baseline_traceback = ids.baseline_traceback;
      group.comparison_traceback = ids.traceback;
      group.reason = ids.reason();
      group.name = std::string(ReasonName(group.reason));
      group.change = rows.analysis().values(unit).change();
    }
    return;
  }
  for (const Row& row : rows.TopRows()) {
    if (row.self.IsZero()) continue;
    ComparedGroup& group = result.groups.emplace_back();
    group.name = GroupLabel(row);
    group.reason = row.kind == RowKind::kReason ? row.id : 0;
    group.change = row.self.change();
  }
}

// The cut takes unchanged groups first, then the smallest growth.
void SortAndCut(Comparison& result) {
  const auto rank = [](const ComparedGroup& g) {
    const NetMeasure net = g.change.net();
    return std::make_tuple(net.usable, net.blocks, g.change.added.usable,
                           g.change.survived.usable);
  };
  const auto by_growth = [&](const ComparedGroup& a, const ComparedGroup& b) {
    const auto ra = rank(a);
    const auto rb = rank(b);
    if (ra != rb) return ra > rb;
    return std::tie(a.baseline_traceback, a.comparison_traceback, a.name) <
           std::tie(b.baseline_traceback, b.comparison_traceback, b.name);
  };
  std::vector<ComparedGroup>& groups = result.groups;
  std::sort(groups.begin(), groups.end(), by_growth);
  const size_t top = result.options.top;
  if (top == 0 || groups.size() <= top) return;
  std::stable_partition(groups.begin(), groups.end(), [](const auto& group) {
    return group.change.changed();
  });
  for (size_t i = top; i < groups.size(); ++i) {
    result.omitted += groups[i].change;
    if (groups[i].change.changed()) ++result.omitted_changed;
  }
  result.omitted_groups = groups.size() - top;
  groups.resize(top);
  std::sort(groups.begin(), groups.end(), by_growth);
}

}  // namespace

std::vector<FrameRef> Comparison::FramesOf(const ComparedGroup& group) const {
  // The younger snapshot may know more names.
  if (group.comparison_traceback != 0) {
    return comparison_frames->OfTraceback(group.comparison_traceback);
  }
  return baseline_frames->OfTraceback(group.baseline_traceback);
}

uint32_t Comparison::RootOf(const ComparedGroup& group) const {
  if (group.comparison_traceback != 0) {
    return comparison_frames->RootOfTraceback(group.comparison_traceback);
  }
  return baseline_frames->RootOfTraceback(group.baseline_traceback);
}

absl::StatusOr<Comparison> Compare(const Snapshot& a, const Snapshot& b,
                                   const CompareOptions& options) {
  if (a.process_id() == b.process_id() && a.epoch() > b.epoch()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the baseline ", a.path, " was taken after the comparison ", b.path,
        "; give the older snapshot first"));
  }
  const auto analysis = Analysis::OfPair(
      std::make_shared<Snapshot>(a), std::make_shared<Snapshot>(b), nullptr);
  if (!analysis.ok()) return analysis.status();
  const auto rows =
      RowTable::Build(*analysis, QueryOf({.by = options.by,
                                          .filter = options.filter,
                                          .exclude = options.exclude}));
  if (!rows.ok()) return rows.status();
  Comparison result;
  result.options = options;
  result.matched_by = (*analysis)->matched_by();
  result.baseline_frames = (*analysis)->baseline_frames();
  result.comparison_frames = (*analysis)->frames();
  result.table = (*analysis)->shared_table();
  result.baseline = SumOf(a.blocks);
  result.comparison = SumOf(b.blocks);
  result.resized = (*analysis)->resized();
  result.notes = (*analysis)->notes();
  result.totals = (*rows)->matched().change();
  AddGroups(**rows, result);
  SortAndCut(result);
  return result;
}

}  // namespace heaptally
