// The report of one snapshot, for people and for programs. Pure functions of
// the snapshot; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_REPORT_H_
#define HEAPTALLY_SNAPSHOT_REPORT_H_

#include <ostream>

#include "absl/status/status.h"
#include "snapshot/report_options.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// Errors: a filter that is no regular expression, a grouping that has no
// values at the peak. Nothing is written then.
absl::Status RenderReport(const Snapshot& snapshot,
                          const ReportOptions& options, std::ostream& out);
absl::Status ReportJson(const Snapshot& snapshot, const ReportOptions& options,
                        std::ostream& out);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_REPORT_H_
