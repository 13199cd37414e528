// What a report of one snapshot is to show. A plain value.
#ifndef HEAPTALLY_SNAPSHOT_REPORT_OPTIONS_H_
#define HEAPTALLY_SNAPSHOT_REPORT_OPTIONS_H_

#include <cstddef>
#include <string>

#include "snapshot/grouping.h"

namespace heaptally {

struct ReportOptions {
  GroupBy by = GroupBy::kTraceback;
  bool inverted = false;  // Call tree from the allocation site upwards.
  bool peak = false;      // Values at the peak of the process.
  // Groups that are shown; 0 shows all. People get kDefaultTextTop unless told
  // otherwise, programs all.
  size_t top = 0;
  std::string filter = {};  // ECMAScript regular expression; empty matches all.
  std::string exclude = {};  // The same; what matches is left out.
};

inline constexpr size_t kDefaultTextTop = 20;

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_REPORT_OPTIONS_H_
