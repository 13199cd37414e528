// The report of one snapshot, for people and for programs. Pure functions of
// the snapshot; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_REPORT_H_
#define HEAPTALLY_SNAPSHOT_REPORT_H_

#include <cstddef>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "snapshot/grouping.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct ReportOptions {
  GroupBy by = GroupBy::kTraceback;
  bool inverted = false;  // Call tree from the allocation site upwards.
  bool peak = false;      // Values at the peak of the process.
  // Groups that are shown; 0 shows all. People get kDefaultTextTop unless told
  // otherwise, programs all.
  size_t top = 0;
  std::string filter;  // ECMAScript regular expression; empty matches all.
};

inline constexpr size_t kDefaultTextTop = 20;

// Errors: a filter that is no regular expression, a grouping that has no
// values at the peak. Nothing is written then.
absl::Status RenderReport(const Snapshot& snapshot,
                          const ReportOptions& options, std::ostream& out);
absl::Status ReportJson(const Snapshot& snapshot, const ReportOptions& options,
                        std::ostream& out);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_REPORT_H_
