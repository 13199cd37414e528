// The filter of reports and views: a text or a regular expression that some
// frame of a stack must hold in its function, file or module. Thread-safe once
// made.
#ifndef HEAPTALLY_SNAPSHOT_FILTER_H_
#define HEAPTALLY_SNAPSHOT_FILTER_H_

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "snapshot/names.h"
#include "snapshot/stacks.h"

namespace heaptally {

enum class FilterSyntax {
  kRegex,  // ECMAScript, searched anywhere; upper and lower case differ.
  kText,   // Plain text, upper and lower case (of ASCII) alike.
};

// One pattern. Empty matches everything, also blocks without a stack.
class FrameFilter {
 public:
  // Time is polynomial whatever the expression; back-references are refused.
  static absl::StatusOr<FrameFilter> Compile(const std::string& pattern,
                                             FilterSyntax syntax);

  bool empty() const { return pattern_.empty(); }
  FilterSyntax syntax() const { return syntax_; }
  bool MatchesText(absl::string_view text) const;
  // By frame id; every distinct text is looked at once.
  std::vector<bool> MatchFrames(const FrameTable& table) const;

 private:
  std::string pattern_;  // In lower case if that is alike.
  FilterSyntax syntax_ = FilterSyntax::kRegex;
  std::optional<std::regex> regex_;  // Not for a pattern of plain characters.
};

// What a view lets pass: stacks that match `filter` and, unless it is empty,
// do not match `exclude`.
class StackFilter {
 public:
  static absl::StatusOr<StackFilter> Compile(const FrameTable& table,
                                             const std::string& filter,
                                             const std::string& exclude,
                                             FilterSyntax syntax);

  bool empty() const { return filter_.empty() && exclude_.empty(); }
  // `reason` is the id of the reason of a stack without frames.
  bool Matches(absl::Span<const PackedFrame> frames, uint32_t reason) const;

 private:
  FrameFilter filter_;
  FrameFilter exclude_;
  std::vector<bool> in_filter_;  // By frame id.
  std::vector<bool> in_exclude_;
};

// "'a'", "'a' without 'b'", "everything without 'b'".
std::string FilterText(const std::string& filter, const std::string& exclude);
// What to think of when an expression lets nothing pass.
std::string FilterHint(const std::string& filter, const std::string& exclude);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_FILTER_H_
