// The filter of reports: a regular expression that some frame of a traceback
// must match in its function, file or module. Thread-compatible.
#ifndef HEAPTALLY_SNAPSHOT_FILTER_H_
#define HEAPTALLY_SNAPSHOT_FILTER_H_

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/names.h"

namespace heaptally {

class FrameFilter {
 public:
  // ECMAScript, searched anywhere, upper and lower case differ. Time is
  // polynomial whatever the expression; back-references are refused. An empty
  // pattern matches everything, also blocks without a stack.
  static absl::StatusOr<FrameFilter> Compile(const std::string& pattern);

  bool empty() const { return pattern_.empty(); }
  bool MatchesText(absl::string_view text) const;
  // Whether one of the frames matches; `reason` is the name of the reason for
  // a traceback without frames.
  bool Matches(const FrameTable& table, absl::Span<const FrameRef> frames,
               absl::string_view reason);

 private:
  bool MatchesFrame(const FrameTable& table, uint32_t id);

  std::string pattern_;
  std::optional<std::regex> regex_;  // Not for a pattern of plain characters.
  // What was found out so far: by frame id (0: not yet), and by text.
  std::vector<int8_t> frames_;
  absl::flat_hash_map<std::string, bool> texts_;
};

// What a report lets pass: tracebacks that match `filter` and, unless it is
// empty, do not match `exclude`.
class TracebackFilter {
 public:
  static absl::StatusOr<TracebackFilter> Compile(const std::string& filter,
                                                 const std::string& exclude);

  bool empty() const { return filter_.empty() && exclude_.empty(); }
  bool Matches(const FrameTable& table, absl::Span<const FrameRef> frames,
               absl::string_view reason);

 private:
  FrameFilter filter_;
  FrameFilter exclude_;
};

// "'a'", "'a' without 'b'", "everything without 'b'".
std::string FilterText(const std::string& filter, const std::string& exclude);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_FILTER_H_
