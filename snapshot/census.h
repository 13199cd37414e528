// The census of a snapshot: its blocks grouped and summed, as a report lists
// them; the sums are those of a RowTable. A pure function, linear in the frames
// of all tracebacks; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_CENSUS_H_
#define HEAPTALLY_SNAPSHOT_CENSUS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "snapshot/analysis.h"
#include "snapshot/measure.h"
#include "snapshot/names.h"
#include "snapshot/report_options.h"
#include "snapshot/row_table.h"
#include "snapshot/sampling.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct CensusValues {
  Measure current;
  Measure at_peak;    // At the usable maximum of the process.
  Measure ever;       // Allocated since the start.
  Estimate estimate;  // Of current; 0 unless the census is `estimated`.

  static CensusValues Of(const Values& values) {
    return {values.current(), values.at_peak(), values.ever(), values.estimate};
  }
  CensusValues& operator+=(const CensusValues& other) {
    current += other.current;
    at_peak += other.at_peak;
    ever += other.ever;
    estimate += other.estimate;
    return *this;
  }
};

struct CensusGroup {
  // A function, a file, a line, a module, the usable bytes of a size class, or
  // the name of a reason; empty for a traceback with a stack.
  std::string name;
  uint32_t traceback = 0;  // Only for GroupBy::kTraceback.
  uint32_t reason = 0;     // Not 0: blocks without a stack.
  // What was allocated there: the frame is the innermost one outside of the
  // C++ library. The groups' sum is the census' `matched`.
  CensusValues self;
  // What was allocated there or below; equals self where it makes no sense.
  CensusValues total;
};

struct Census {
  ReportOptions options;
  bool estimated = false;           // Blocks were sampled; `estimate` is set.
  std::vector<CensusGroup> groups;  // Largest usable first.
  size_t omitted_groups = 0;        // Cut by options.top.
  CensusValues omitted;
  CensusValues matched;  // All tracebacks that the filter lets pass.
  CensusValues whole;    // All tracebacks.
  // Ids of the tracebacks that pass the filter and are not all zero.
  std::vector<uint32_t> tracebacks;
  std::shared_ptr<const Analysis> analysis;
  std::shared_ptr<const FrameTable> table;
  std::shared_ptr<const SnapshotFrames> frames;

  // The measure that is sorted by and that percentages are of.
  const Measure& Shown(const CensusValues& values) const {
    return options.peak ? values.at_peak : values.current;
  }
};

// The query of a report: regular expressions, and library frames stay, but
// blocks count for the frame that called them.
Query QueryOf(const ReportOptions& options);
// The name of a group in reports: "(before_recording)" of a reason, the bare
// number of a size class.
std::string GroupLabel(const Row& row);

// Errors: a bad filter; size classes at the peak, which nobody recorded.
absl::StatusOr<Census> TakeCensus(const Snapshot& snapshot,
                                  const ReportOptions& options);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CENSUS_H_
