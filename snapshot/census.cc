#include "snapshot/census.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "snapshot/filter.h"
#include "snapshot/group_names.h"

namespace heaptally {
namespace {

uint32_t ReasonOf(uint32_t traceback) {
  return traceback < format::kFirstId ? traceback : 0;
}

// The values of every traceback, by id.
std::vector<CensusValues> ValuesOfTracebacks(const Snapshot& s) {
  const std::vector<Estimate> estimates = EstimateTracebacks(s);
  std::vector<CensusValues> values(s.tracebacks.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].current = s.tracebacks.current[i];
    values[i].at_peak = s.tracebacks.at_peak[i];
    values[i].ever = s.tracebacks.ever[i];
    if (!estimates.empty()) values[i].estimate = estimates[i];
  }
  return values;
}

void GroupByTraceback(const std::vector<CensusValues>& values, Census& census) {
  for (const uint32_t id : census.tracebacks) {
    CensusGroup group;
    group.traceback = id;
    group.reason = ReasonOf(id);
    group.name = std::string(ReasonName(id));
    group.self = group.total = values[id];
    census.groups.push_back(std::move(group));
  }
}

// By function, file or module. A group that a traceback enters several times
// counts once in its total.
void GroupByFrame(const std::vector<CensusValues>& values, Census& census) {
  GroupNames names(*census.table, census.options.by);
  std::vector<uint32_t> last_seen;
  std::vector<FrameRef> frames;
  uint32_t turn = 0;
  const auto at = [&](uint32_t group) -> CensusGroup& {
    if (group >= census.groups.size()) {
      census.groups.resize(group + 1);
      last_seen.resize(group + 1, 0);
    }
    return census.groups[group];
  };
  for (const uint32_t id : census.tracebacks) {
    frames.clear();
    census.frames->AppendTraceback(id, frames);
    ++turn;
    const uint32_t site = names.OfTraceback(frames, ReasonOf(id));
    at(site).self += values[id];
    at(site).total += values[id];
    at(site).reason = ReasonOf(id);
    last_seen[site] = turn;
    for (const FrameRef frame : frames) {
      const uint32_t group = names.OfFrame(frame.id);
      CensusGroup& entry = at(group);
      if (std::exchange(last_seen[group], turn) == turn) continue;
      entry.total += values[id];
    }
  }
  for (size_t i = 0; i < census.groups.size(); ++i) {
    census.groups[i].name = names.names()[i];
  }
}

// Only the live blocks tell their size class.
void GroupBySizeClass(const Snapshot& s, Census& census) {
  std::vector<bool> passes(s.tracebacks.size(), false);
  for (const uint32_t id : census.tracebacks) passes[id] = true;
  absl::flat_hash_map<uint64_t, Measure> classes;
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    if (!passes[s.blocks.traceback[i]]) continue;
    classes[s.blocks.usable[i]] += s.blocks[i];
  }
  for (const auto& [usable, measure] : classes) {
    CensusGroup group;
    group.name = absl::StrCat(usable);
    group.self.current = group.total.current = measure;
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

absl::StatusOr<Census> TakeCensus(const Snapshot& snapshot,
                                  const ReportOptions& options) {
  if (options.peak && options.by == GroupBy::kSizeClass) {
    return absl::InvalidArgumentError(
        "the size classes at the peak were not recorded; group the peak by "
        "traceback, function, file or module");
  }
  absl::StatusOr<TracebackFilter> filter =
      TracebackFilter::Compile(options.filter, options.exclude);
  if (!filter.ok()) return filter.status();
  auto table = std::make_shared<FrameTable>();
  Census census;
  census.options = options;
  census.estimated = snapshot.Sampled();
  census.frames = std::make_shared<SnapshotFrames>(snapshot, *table);
  census.table = table;
  const std::vector<CensusValues> values = ValuesOfTracebacks(snapshot);
  std::vector<FrameRef> frames;
  for (uint32_t id = 0; id < values.size(); ++id) {
    census.whole += values[id];
    if (values[id].IsZero()) continue;
    if (!filter->empty()) {
      frames.clear();
      census.frames->AppendTraceback(id, frames);
      if (!filter->Matches(*table, frames, ReasonName(id))) continue;
    }
    census.matched += values[id];
    census.tracebacks.push_back(id);
  }
  switch (options.by) {
    case GroupBy::kTraceback:
      GroupByTraceback(values, census);
      break;
    case GroupBy::kSizeClass:
      GroupBySizeClass(snapshot, census);
      break;
    default:
      GroupByFrame(values, census);
  }
  SortAndCut(census);
  return census;
}

}  // namespace heaptally
