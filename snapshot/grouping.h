// The ways blocks can be grouped, and their names on the command line.
// Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_GROUPING_H_
#define HEAPTALLY_SNAPSHOT_GROUPING_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace heaptally {

enum class GroupBy {
  kTraceback,
  kFunction,
  kFile,
  kLine,
  kModule,
  kSizeClass,
};
inline constexpr int kGroupings = 6;

// "traceback", "function", "file", "line", "module", "size-class".
absl::string_view GroupByName(GroupBy by);
// The plural for people: "tracebacks", "size classes", ...
absl::string_view GroupByPlural(GroupBy by);
absl::StatusOr<GroupBy> ParseGroupBy(absl::string_view name);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_GROUPING_H_
