// One snapshot or a pair of them, prepared so that questions about it are
// answered at once: its units (tracebacks) with their values and their stacks
// as flat arrays of frames. Immutable once made; what is worked out on demand
// is locked, so that any thread may use it.
#ifndef HEAPTALLY_SNAPSHOT_ANALYSIS_H_
#define HEAPTALLY_SNAPSHOT_ANALYSIS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "snapshot/change.h"
#include "snapshot/frame_groups.h"
#include "snapshot/measure.h"
#include "snapshot/names.h"
#include "snapshot/sampling.h"
#include "snapshot/snapshot.h"
#include "snapshot/stacks.h"

namespace heaptally {

// What is known of a unit, and what rows sum: of a snapshot current, at the
// peak, ever; of a pair added, freed, survived.
struct Values {
  std::array<Measure, 3> of = {};
  Estimate estimate;  // Of current; 0 unless blocks were sampled.

  const Measure& current() const { return of[0]; }
  const Measure& at_peak() const { return of[1]; }
  const Measure& ever() const { return of[2]; }
  Change change() const { return {of[0], of[1], of[2]}; }
  NetMeasure net() const { return Net(of[0], of[1]); }
  bool IsZero() const {
    return of[0] == Measure() && of[1] == Measure() && of[2] == Measure();
  }
  Values& operator+=(const Values& other) {
    for (size_t i = 0; i < of.size(); ++i) of[i] += other.of[i];
    if (other.estimate.blocks != 0) estimate += other.estimate;
    return *this;
  }
  // Without the estimate.
  Values& operator-=(const Values& other) {
    for (size_t i = 0; i < of.size(); ++i) of[i] -= other.of[i];
    return *this;
  }
};

class SizedUnits;

// What a unit has in one size class.
struct SizedUnit {
  uint32_t unit;
  Values values;  // Of a snapshot only current.
};

// Called now and then with what is done of what there is to do; false cancels.
using PrepareProgress = std::function<bool(uint64_t done, uint64_t total)>;

class Analysis : public std::enable_shared_from_this<Analysis> {
 public:
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  // Errors: cancelled. A pair may be given in either order. `progress` may be
  // null.
  static absl::StatusOr<std::shared_ptr<const Analysis>> OfSnapshot(
      std::shared_ptr<const Snapshot> snapshot,
      const PrepareProgress& progress);
  static absl::StatusOr<std::shared_ptr<const Analysis>> OfPair(
      std::shared_ptr<const Snapshot> baseline,
      std::shared_ptr<const Snapshot> comparison,
      const PrepareProgress& progress);

  bool is_pair() const { return baseline_ != nullptr; }
  // The snapshot, or the younger one of a pair.
  const Snapshot& snapshot() const { return *snapshot_; }
  const Snapshot* baseline() const { return baseline_.get(); }
  bool estimated() const { return estimated_; }
  // Of a pair.
  MatchedBy matched_by() const { return matched_by_; }
  uint64_t resized() const { return resized_; }
  // What a reader must know; sentences.
  const std::vector<std::string>& notes() const { return notes_; }

  // What is summed: the tracebacks of the snapshot, by id, or the matched
  // tracebacks of the pair.
  struct Unit {
    uint32_t traceback = 0;  // In the snapshot, or the younger one; 0: none.
    uint32_t baseline_traceback = 0;
    // The reason of a unit without a stack, 0 also for an empty stack.
    uint32_t reason() const {
      const uint32_t id = traceback != 0 ? traceback : baseline_traceback;
      return id < format::kFirstId ? id : 0;
    }
  };
  uint32_t size() const { return static_cast<uint32_t>(units_.size()); }
  const Unit& unit(uint32_t i) const { return units_[i]; }
  const Values& values(uint32_t unit) const { return values_[unit]; }
  const Values& whole() const { return whole_; }

  const FrameTable& table() const { return *table_; }
  std::shared_ptr<const FrameTable> shared_table() const { return table_; }
  // Innermost first.
  const Stacks& stacks() const { return stacks_; }
  // Without the frames of the C++ library, where others are left.
  const Stacks& folded_stacks() const { return folded_; }
  const Stacks& StacksFor(bool folded) const {
    return folded ? folded_ : stacks_;
  }
  // By frame id: whether it is of the C++ library.
  bool IsLibrary(uint32_t frame) const { return library_[frame]; }
  const std::vector<bool>& library() const { return library_; }
  // The unit that a traceback of the snapshot, or of the baseline, is part of.
  uint32_t UnitOf(uint32_t traceback, bool of_baseline) const {
    if (!is_pair()) return traceback;
    return (of_baseline ? baseline_unit_of_ : unit_of_)[traceback];
  }
  // How the walk of the unit's stack ended.
  uint32_t RootOf(uint32_t unit) const;
  const std::shared_ptr<const SnapshotFrames>& frames() const {
    return frames_;
  }
  const std::shared_ptr<const SnapshotFrames>& baseline_frames() const {
    return baseline_frames_;
  }

  // The groups of the frames by function, file, line or module; made once.
  const FrameGroups& Groups(GroupBy by) const;

  // The units by size class; made once.
  const SizedUnits& Sizes() const;

 private:
  Analysis();
  absl::Status Prepare(const PrepareProgress& progress);
  void MakeFrames();
  void MakeUnits();
  void MatchUnits();
  void MakeStacks();

  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const Snapshot> baseline_;
  MatchedBy matched_by_ = MatchedBy::kBirthEpoch;
  uint64_t resized_ = 0;
  bool estimated_ = false;
  std::vector<std::string> notes_;
  std::shared_ptr<const FrameTable> table_;
  std::shared_ptr<const SnapshotFrames> frames_;
  std::shared_ptr<const SnapshotFrames> baseline_frames_;
  std::vector<Unit> units_;
  std::vector<uint32_t> unit_of_;  // By traceback; only of a pair.
  std::vector<uint32_t> baseline_unit_of_;
  std::vector<Values> values_;
  Values whole_;
  Stacks stacks_;
  Stacks folded_;
  std::vector<bool> library_;

  mutable std::mutex mutex_;
  mutable std::array<std::unique_ptr<const FrameGroups>, kGroupings> groups_;
  mutable std::unique_ptr<const SizedUnits> sizes_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_ANALYSIS_H_
