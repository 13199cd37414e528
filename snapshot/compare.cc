#include "snapshot/compare.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "snapshot/block_match.h"
#include "snapshot/books.h"
#include "snapshot/filter.h"
#include "snapshot/group_names.h"
#include "snapshot/symbol_tree.h"
#include "snapshot/text_format.h"

namespace heaptally {
namespace {

bool IsChanged(const Change& change) {
  return change.added != Measure() || change.freed != Measure();
}

// The notes that concern one of the two files.
void NoteFile(const Snapshot& s, Comparison& result) {
  if (!EvaluateBooks(s).balanced()) {
    result.notes.push_back(absl::StrCat(
        "The books of ", s.path, " do not balance: its figures are doubtful."));
  }
  if (s.Sampled()) {
    result.notes.push_back(absl::StrCat(
        "Stacks were sampled in ", s.path,
        ": a traceback counts only the blocks that were sampled, the others "
        "stand under sampled_out."));
  }
  const uint64_t saturated = s.facts.Number("epoch_saturated");
  if (saturated != 0) {
    result.notes.push_back(
        absl::StrCat(CountOf(saturated, "block", "blocks"), " of ", s.path,
                     " had no room for a birth epoch: some of them may be new "
                     "and count as survived."));
  }
}

void NoteMatching(const Snapshot& a, const Snapshot& b, Comparison& result) {
  if (result.matched_by == MatchedBy::kSymbolisedTraceback) {
    result.notes.push_back(
        "The snapshots are of two processes, whose blocks cannot be matched "
        "one by one. Of each traceback (function, file, line and module of "
        "all frames) the smaller of the two numbers counts as survived and "
        "the rest as new or freed: on its own for blocks, for requested and "
        "for usable bytes, so that one may grow while another shrinks. The "
        "net is exact.");
    for (const Snapshot* s : {&a, &b}) {
      if (s->names.present()) continue;
      result.notes.push_back(
          absl::StrCat(s->path,
                       " has no names, so that its tracebacks match "
                       "only by module and offset."));
    }
  }
  if (result.resized != 0) {
    result.notes.push_back(absl::StrCat(
        CountOf(result.resized, "block was", "blocks were"),
        " resized in place: counted as freed with the old size and new with "
        "the new one."));
  }
  if (a.mode() != b.mode()) {
    result.notes.push_back(absl::StrCat("The recording mode was ", a.mode(),
                                        " in the baseline and is ", b.mode(),
                                        " in the comparison."));
  }
}

uint32_t ReasonOf(const MatchedUnit& unit) {
  const uint32_t id =
      std::max(unit.baseline_traceback, unit.comparison_traceback);
  return id < format::kFirstId ? id : 0;
}

// Turns units into groups; a unit that the filter does not let pass is left
// out.
void Group(const std::vector<MatchedUnit>& units, TracebackFilter& filter,
           Comparison& result) {
  const GroupBy by = result.options.by;
  GroupNames names(*result.table, by);
  for (const MatchedUnit& unit : units) {
    ComparedGroup group;
    group.baseline_traceback = unit.baseline_traceback;
    group.comparison_traceback = unit.comparison_traceback;
    group.reason = ReasonOf(unit);
    const std::vector<FrameRef> frames =
        by == GroupBy::kTraceback && filter.empty() ? std::vector<FrameRef>()
                                                    : result.FramesOf(group);
    if (!filter.Matches(*result.table, frames, ReasonName(group.reason))) {
      continue;
    }
    result.totals += unit.change;
    group.change = unit.change;
    if (by == GroupBy::kTraceback) {
      group.name = std::string(ReasonName(group.reason));
      result.groups.push_back(std::move(group));
      continue;
    }
    const uint32_t index = by == GroupBy::kSizeClass
                               ? names.OfName(absl::StrCat(unit.size_class))
                               : names.OfTraceback(frames, group.reason);
    if (index >= result.groups.size()) result.groups.resize(index + 1);
    result.groups[index].name = names.names()[index];
    result.groups[index].change += unit.change;
    if (by != GroupBy::kSizeClass) result.groups[index].reason = group.reason;
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
    return IsChanged(group.change);
  });
  for (size_t i = top; i < groups.size(); ++i) {
    result.omitted += groups[i].change;
    if (IsChanged(groups[i].change)) ++result.omitted_changed;
  }
  result.omitted_groups = groups.size() - top;
  groups.resize(top);
  std::sort(groups.begin(), groups.end(), by_growth);
}

}  // namespace

absl::string_view MatchedByName(MatchedBy matched_by) {
  return matched_by == MatchedBy::kBirthEpoch ? "block address and birth epoch"
                                              : "symbolised traceback";
}

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
  absl::StatusOr<TracebackFilter> filter =
      TracebackFilter::Compile(options.filter, options.exclude);
  if (!filter.ok()) return filter.status();
  const bool one_process = a.process_id() == b.process_id();
  if (one_process && a.epoch() > b.epoch()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the baseline ", a.path, " was taken after the comparison ", b.path,
        "; give the older snapshot first"));
  }
  Comparison result;
  result.options = options;
  result.matched_by =
      one_process ? MatchedBy::kBirthEpoch : MatchedBy::kSymbolisedTraceback;
  auto table = std::make_shared<FrameTable>();
  result.baseline_frames = std::make_shared<SnapshotFrames>(a, *table);
  result.comparison_frames = std::make_shared<SnapshotFrames>(b, *table);
  result.table = table;
  result.baseline = SumOf(a.blocks);
  result.comparison = SumOf(b.blocks);
  const bool by_class = options.by == GroupBy::kSizeClass;
  MatchResult match;
  if (one_process) {
    match = MatchByEpoch(a, b, by_class);
  } else {
    SymbolTree tree;
    const std::vector<uint32_t> a_numbers =
        tree.Add(a, *result.baseline_frames);
    const std::vector<uint32_t> b_numbers =
        tree.Add(b, *result.comparison_frames);
    match = MatchByNumber(a, a_numbers, b, b_numbers, by_class);
  }
  result.resized = match.resized;
  Group(match.units, *filter, result);
  SortAndCut(result);
  NoteMatching(a, b, result);
  NoteFile(a, result);
  NoteFile(b, result);
  return result;
}

}  // namespace heaptally
