// What changed between two snapshots: new, freed and survived blocks and the
// net, per group, as `compare` lists them; the sums are those of a RowTable.
// Pure functions of the snapshots, linear in their size; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_COMPARE_H_
#define HEAPTALLY_SNAPSHOT_COMPARE_H_

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "snapshot/change.h"
#include "snapshot/grouping.h"
#include "snapshot/measure.h"
#include "snapshot/names.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct CompareOptions {
  GroupBy by = GroupBy::kTraceback;
  size_t top = 0;           // Groups that are shown; 0 shows all.
  std::string filter = {};  // As for a report.
  std::string exclude = {};
};

struct ComparedGroup {
  Change change;
  // A function, a file, a line, a module, the usable bytes of a size class, or
  // the name of a reason; empty for a traceback with a stack.
  std::string name;
  // Only for GroupBy::kTraceback: its id in each snapshot, 0 if it has none.
  uint32_t baseline_traceback = 0;
  uint32_t comparison_traceback = 0;
  uint32_t reason = 0;  // Not 0: blocks without a stack.
};

struct Comparison {
  MatchedBy matched_by = MatchedBy::kBirthEpoch;
  CompareOptions options;
  Change totals;                      // Of all that passes the filter.
  Measure baseline, comparison;       // Sums of all blocks, without filter.
  std::vector<ComparedGroup> groups;  // By net usable bytes, largest first.
  size_t omitted_groups = 0;          // Cut by options.top.
  size_t omitted_changed = 0;         // Those of them that changed.
  Change omitted;
  uint64_t resized = 0;  // Blocks that were resized in place: freed and new.
  std::vector<std::string> notes;  // What a reader must know; sentences.
  std::shared_ptr<const FrameTable> table;
  std::shared_ptr<const SnapshotFrames> baseline_frames, comparison_frames;

  NetMeasure whole_net() const { return Net(comparison, baseline); }
  // Innermost first; empty for blocks without a stack.
  std::vector<FrameRef> FramesOf(const ComparedGroup& group) const;
  // How the walk of that stack ended: the root that its frames hang from.
  uint32_t RootOf(const ComparedGroup& group) const;
};

// Errors: a bad filter; a baseline that was taken after the comparison.
absl::StatusOr<Comparison> Compare(const Snapshot& baseline,
                                   const Snapshot& comparison,
                                   const CompareOptions& options);

void RenderComparison(const Snapshot& baseline, const Snapshot& comparison,
                      const Comparison& result, std::ostream& out);
void ComparisonJson(const Snapshot& baseline, const Snapshot& comparison,
                    const Comparison& result, std::ostream& out);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_COMPARE_H_
