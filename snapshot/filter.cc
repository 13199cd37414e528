#include "snapshot/filter.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "snapshot/text_format.h"

namespace heaptally {
namespace {

#ifdef __GLIBCXX__
// The library's other matcher recurses once a character and takes exponential
// time for some expressions.
constexpr auto kSyntax =
    std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kSyntax = std::regex::ECMAScript;
#endif

absl::string_view Explain(std::regex_constants::error_type code) {
  namespace rc = std::regex_constants;
  if (code == rc::error_brack) return "a '[' is not closed";
  if (code == rc::error_paren) return "a parenthesis is not closed or opened";
  if (code == rc::error_brace) return "a '{' is not closed";
  if (code == rc::error_badbrace) return "the numbers in '{}' are wrong";
  if (code == rc::error_badrepeat) return "there is nothing before a '*'";
  if (code == rc::error_escape) return "a backslash stands before nothing";
  if (code == rc::error_range) return "a range in '[]' runs backwards";
  if (code == rc::error_ctype) return "there is no such character class";
  if (code == rc::error_complexity) {
    return "it is too complex (back-references are not supported)";
  }
  return "it cannot be understood";
}

}  // namespace

absl::StatusOr<FrameFilter> FrameFilter::Compile(const std::string& pattern) {
  FrameFilter filter;
  filter.pattern_ = pattern;
  if (pattern.find_first_of("\\^$.|?*+()[]{}") == std::string::npos) {
    return filter;
  }
  try {
    filter.regex_.emplace(pattern, kSyntax);
  } catch (const std::regex_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("the filter '", pattern,
                     "' is no regular expression: ", Explain(error.code()),
                     "; put a backslash before characters meant literally"));
  }
  return filter;
}

bool FrameFilter::MatchesText(absl::string_view text) const {
  if (!regex_.has_value()) return absl::StrContains(text, pattern_);
  return std::regex_search(text.begin(), text.end(), *regex_);
}

bool FrameFilter::MatchesFrame(const FrameTable& table, uint32_t id) {
  if (frames_.size() < table.size()) frames_.resize(table.size(), 0);
  if (frames_[id] != 0) return frames_[id] > 0;
  const Frame& frame = table[id];
  bool matches = false;
  for (const absl::string_view text :
       {frame.function, frame.file, frame.module}) {
    const auto [entry, is_new] = texts_.try_emplace(std::string(text), false);
    if (is_new) entry->second = MatchesText(text);
    matches |= entry->second;
  }
  frames_[id] = matches ? 1 : -1;
  return matches;
}

bool FrameFilter::Matches(const FrameTable& table,
                          absl::Span<const FrameRef> frames,
                          absl::string_view reason) {
  if (empty()) return true;
  if (frames.empty()) return MatchesText(reason);
  for (const FrameRef frame : frames) {
    if (MatchesFrame(table, frame.id)) return true;
  }
  return false;
}

absl::StatusOr<TracebackFilter> TracebackFilter::Compile(
    const std::string& filter, const std::string& exclude) {
  TracebackFilter both;
  absl::StatusOr<FrameFilter> part = FrameFilter::Compile(filter);
  if (!part.ok()) return part.status();
  both.filter_ = *std::move(part);
  part = FrameFilter::Compile(exclude);
  if (!part.ok()) return part.status();
  both.exclude_ = *std::move(part);
  return both;
}

bool TracebackFilter::Matches(const FrameTable& table,
                              absl::Span<const FrameRef> frames,
                              absl::string_view reason) {
  return filter_.Matches(table, frames, reason) &&
         (exclude_.empty() || !exclude_.Matches(table, frames, reason));
}

std::string FilterText(const std::string& filter, const std::string& exclude) {
  std::string kept =
      filter.empty() ? "everything" : absl::StrCat("'", SafeText(filter), "'");
  if (exclude.empty()) return kept;
  return absl::StrCat(kept, " without '", SafeText(exclude), "'");
}

}  // namespace heaptally
