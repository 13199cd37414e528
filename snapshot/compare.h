// What changed between two snapshots: new, freed and survived blocks and the
// net, per group. Pure functions of the snapshots, linear in their size;
// thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_COMPARE_H_
#define HEAPTALLY_SNAPSHOT_COMPARE_H_

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "snapshot/grouping.h"
#include "snapshot/measure.h"
#include "snapshot/names.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct CompareOptions {
  GroupBy by = GroupBy::kTraceback;
  size_t top = 0;      // Groups that are shown; 0 shows all.
  std::string filter;  // As for a report.
};

// baseline = freed + survived, comparison = added + survived.
struct Change {
  Measure added;
  Measure freed;
  Measure survived;

  NetMeasure net() const { return Net(added, freed); }
  Change& operator+=(const Change& other) {
    added += other.added;
    freed += other.freed;
    survived += other.survived;
    return *this;
  }
  friend bool operator==(const Change&, const Change&) = default;
};

struct ComparedGroup {
  Change change;
  std::string name;  // Of a function, file, module, size class or reason.
  // Only for GroupBy::kTraceback:
  uint32_t baseline_traceback = 0;    // 0: not in the baseline.
  uint32_t comparison_traceback = 0;  // 0: not in the comparison.
  uint32_t reason = 0;                // Not 0: blocks without a stack.
  std::vector<FrameRef> frames;       // Innermost first.
};

enum class MatchedBy { kBirthEpoch, kSymbolisedTraceback };

struct Comparison {
  MatchedBy matched_by = MatchedBy::kBirthEpoch;
  Change totals;                 // Of all that passes the filter.
  NetMeasure whole_net;          // Without the filter.
  Measure baseline, comparison;  // Sums of the block columns, no filter.
  GroupBy by = GroupBy::kTraceback;
  std::vector<ComparedGroup> groups;  // By net usable, largest growth first.
  size_t omitted_groups = 0;          // Cut by `top`.
  Change omitted;
  std::vector<std::string> notes;  // What a reader must know; sentences.
  std::shared_ptr<const FrameTable> frames;
};

// "block address and birth epoch" or "symbolised traceback".
absl::string_view MatchedByName(MatchedBy matched_by);

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
