#include "snapshot/analysis.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "snapshot/block_match.h"
#include "snapshot/books.h"
#include "snapshot/library_frames.h"
#include "snapshot/notes_text.h"
#include "snapshot/sized_units.h"
#include "snapshot/symbol_tree.h"

namespace heaptally {

Analysis::Analysis() = default;
Analysis::~Analysis() = default;

absl::StatusOr<std::shared_ptr<const Analysis>> Analysis::OfSnapshot(
    std::shared_ptr<const Snapshot> snapshot, const PrepareProgress& progress) {
  const std::shared_ptr<Analysis> analysis(new Analysis);
  analysis->snapshot_ = std::move(snapshot);
  analysis->estimated_ = analysis->snapshot_->Sampled();
  if (absl::Status s = analysis->Prepare(progress); !s.ok()) return s;
  return std::shared_ptr<const Analysis>(analysis);
}

absl::StatusOr<std::shared_ptr<const Analysis>> Analysis::OfPair(
    std::shared_ptr<const Snapshot> baseline,
    std::shared_ptr<const Snapshot> comparison,
    const PrepareProgress& progress) {
  const bool one_process = baseline->process_id() == comparison->process_id();
  const std::shared_ptr<Analysis> analysis(new Analysis);
  analysis->baseline_ = std::move(baseline);
  analysis->snapshot_ = std::move(comparison);
  analysis->matched_by_ =
      one_process ? MatchedBy::kBirthEpoch : MatchedBy::kSymbolisedTraceback;
  if (absl::Status s = analysis->Prepare(progress); !s.ok()) return s;
  return std::shared_ptr<const Analysis>(analysis);
}

// Blocks that are matched by address need no frames, so that both can be made
// at once.
absl::Status Analysis::Prepare(const PrepareProgress& progress) {
  const uint64_t blocks =
      snapshot_->blocks.size() + (is_pair() ? baseline_->blocks.size() : 0);
  const auto step = [&](uint64_t done) {
    if (!progress || progress(blocks * done / 3, blocks)) {
      return absl::OkStatus();
    }
    return absl::CancelledError("it was cancelled");
  };
  if (absl::Status s = step(0); !s.ok()) return s;
  if (is_pair() && matched_by_ == MatchedBy::kSymbolisedTraceback) {
    MakeFrames();
    if (absl::Status s = step(1); !s.ok()) return s;
    MatchUnits();
  } else {
    std::thread frames([this] { MakeFrames(); });
    is_pair() ? MatchUnits() : MakeUnits();
    frames.join();
  }
  for (const Values& values : values_) whole_ += values;
  if (absl::Status s = step(2); !s.ok()) return s;
  std::thread notes([this] {
    (void)Sizes();
    notes_ = is_pair()
                 ? PairNotes(*baseline_, *snapshot_, matched_by_, resized_)
                 : SnapshotNotes(*snapshot_);
  });
  MakeStacks();
  notes.join();
  return step(3);
}

void Analysis::MakeFrames() {
  auto table = std::make_shared<FrameTable>();
  if (is_pair()) {
    baseline_frames_ = std::make_shared<SnapshotFrames>(*baseline_, *table);
  }
  frames_ = std::make_shared<SnapshotFrames>(*snapshot_, *table);
  table_ = std::move(table);
  library_.resize(table_->size());
  for (uint32_t frame = 0; frame < table_->size(); ++frame) {
    library_[frame] = IsLibraryFrame((*table_)[frame]);
  }
}

void Analysis::MakeUnits() {
  const Tracebacks& tracebacks = snapshot_->tracebacks;
  const std::vector<Estimate> estimates = EstimateTracebacks(*snapshot_);
  units_.resize(tracebacks.size());
  values_.resize(tracebacks.size());
  for (uint32_t id = 0; id < tracebacks.size(); ++id) {
    units_[id].traceback = id;
    values_[id].of = {tracebacks.current[id], tracebacks.at_peak[id],
                      tracebacks.ever[id]};
    if (!estimates.empty()) values_[id].estimate = estimates[id];
  }
}

void Analysis::MatchUnits() {
  MatchResult match;
  std::vector<uint32_t> numbers;
  std::vector<uint32_t> baseline_numbers;
  if (matched_by_ == MatchedBy::kBirthEpoch) {
    match = MatchByEpoch(*baseline_, *snapshot_);
  } else {
    SymbolTree tree;
    baseline_numbers = tree.Add(*baseline_, *baseline_frames_);
    numbers = tree.Add(*snapshot_, *frames_);
    match = MatchByNumber(*baseline_, baseline_numbers, *snapshot_, numbers);
  }
  resized_ = match.resized;
  std::vector<uint32_t> of_number;
  const auto number = [&](uint32_t traceback, bool of_baseline) {
    if (matched_by_ == MatchedBy::kBirthEpoch) return traceback;
    return (of_baseline ? baseline_numbers : numbers)[traceback];
  };
  for (const MatchedUnit& matched : match.units) {
    const uint32_t index = size();
    units_.push_back(
        {matched.comparison_traceback, matched.baseline_traceback});
    values_.push_back(
        {{matched.change.added, matched.change.freed, matched.change.survived},
         {}});
    const uint32_t key = matched.comparison_traceback != 0
                             ? number(matched.comparison_traceback, false)
                             : number(matched.baseline_traceback, true);
    if (key >= of_number.size()) of_number.resize(key + 1, 0);
    of_number[key] = index;
  }
  for (const bool of_baseline : {false, true}) {
    std::vector<uint32_t>& unit_of = of_baseline ? baseline_unit_of_ : unit_of_;
    const Snapshot& s = of_baseline ? *baseline_ : *snapshot_;
    unit_of.resize(s.tracebacks.size(), 0);
    for (uint32_t id = 0; id < unit_of.size(); ++id) {
      const uint32_t key = number(id, of_baseline);
      if (key < of_number.size()) unit_of[id] = of_number[key];
    }
  }
}

void Analysis::MakeStacks() {
  std::vector<FrameRef> frames;
  stacks_.Reserve(size(), size() * size_t{16});
  for (const Unit& unit : units_) {
    frames.clear();
    // The younger snapshot may know more names.
    if (unit.traceback != 0) {
      frames_->AppendTraceback(unit.traceback, frames);
    } else if (is_pair()) {
      baseline_frames_->AppendTraceback(unit.baseline_traceback, frames);
    }
    stacks_.Add(frames);
  }
  folded_ = stacks_.Without(library_);
}

uint32_t Analysis::RootOf(uint32_t unit) const {
  if (units_[unit].traceback != 0 || !is_pair()) {
    return frames_->RootOfTraceback(units_[unit].traceback);
  }
  return baseline_frames_->RootOfTraceback(units_[unit].baseline_traceback);
}

const FrameGroups& Analysis::Groups(GroupBy by) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<const FrameGroups>& groups = groups_[static_cast<int>(by)];
  if (groups == nullptr) groups = std::make_unique<FrameGroups>(*table_, by);
  return *groups;
}

const SizedUnits& Analysis::Sizes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (sizes_ == nullptr) sizes_ = std::make_unique<const SizedUnits>(*this);
  return *sizes_;
}

}  // namespace heaptally
