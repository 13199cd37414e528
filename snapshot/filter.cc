#include "snapshot/filter.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "snapshot/snapshot.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"

namespace heaptally {
namespace {

// Looking ahead nests without a limit of time, and so do long patterns.
constexpr size_t kLongestPattern = 500;

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

absl::StatusOr<FrameFilter> FrameFilter::Compile(const std::string& pattern,
                                                 FilterSyntax syntax) {
  FrameFilter filter;
  filter.pattern_ = pattern;
  filter.syntax_ = syntax;
  if (syntax == FilterSyntax::kText) {
    absl::AsciiStrToLower(&filter.pattern_);
    return filter;
  }
  if (pattern.find_first_of("\\^$.|?*+()[]{}") == std::string::npos) {
    return filter;
  }
  if (pattern.size() > kLongestPattern) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the filter has ", pattern.size(), " characters, and at most ",
        kLongestPattern, " are understood"));
  }
  if (absl::StrContains(pattern, "(?=") || absl::StrContains(pattern, "(?!")) {
    return absl::InvalidArgumentError(
        absl::StrCat("the filter '", pattern,
                     "' looks ahead, which is not supported; what must not "
                     "match can be excluded"));
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
  if (regex_.has_value()) {
    return std::regex_search(text.begin(), text.end(), *regex_);
  }
  if (syntax_ == FilterSyntax::kRegex) return absl::StrContains(text, pattern_);
  return absl::StrContains(absl::AsciiStrToLower(text), pattern_);
}

std::vector<bool> FrameFilter::MatchFrames(const FrameTable& table) const {
  // The table keeps one copy of a text, so its address stands for it.
  absl::flat_hash_map<const char*, bool> texts;
  std::vector<bool> matches(table.size(), false);
  for (uint32_t id = 0; id < table.size(); ++id) {
    const Frame& frame = table[id];
    for (const absl::string_view text :
         {frame.function, frame.file, frame.module}) {
      const auto [entry, is_new] = texts.try_emplace(text.data(), false);
      if (is_new) entry->second = MatchesText(text);
      if (entry->second) matches[id] = true;
    }
  }
  return matches;
}

absl::StatusOr<StackFilter> StackFilter::Compile(const FrameTable& table,
                                                 const std::string& filter,
                                                 const std::string& exclude,
                                                 FilterSyntax syntax) {
  StackFilter both;
  absl::StatusOr<FrameFilter> part = FrameFilter::Compile(filter, syntax);
  if (!part.ok()) return part.status();
  both.filter_ = *std::move(part);
  part = FrameFilter::Compile(exclude, syntax);
  if (!part.ok()) return part.status();
  both.exclude_ = *std::move(part);
  if (!filter.empty()) both.in_filter_ = both.filter_.MatchFrames(table);
  if (!exclude.empty()) both.in_exclude_ = both.exclude_.MatchFrames(table);
  return both;
}

namespace {

bool Any(absl::Span<const PackedFrame> frames, const std::vector<bool>& marks) {
  for (const PackedFrame frame : frames) {
    if (marks[frame.id()]) return true;
  }
  return false;
}

// Blocks without a stack are found by the name of the reason and, by plain
// text, by the words that people see.
bool MatchesReason(const FrameFilter& filter, uint32_t reason) {
  return filter.MatchesText(ReasonName(reason)) ||
         (filter.syntax() == FilterSyntax::kText &&
          filter.MatchesText(ReasonText(reason)));
}

}  // namespace

bool StackFilter::Matches(absl::Span<const PackedFrame> frames,
                          uint32_t reason) const {
  if (!filter_.empty()) {
    const bool in = frames.empty() ? MatchesReason(filter_, reason)
                                   : Any(frames, in_filter_);
    if (!in) return false;
  }
  if (exclude_.empty()) return true;
  return frames.empty() ? !MatchesReason(exclude_, reason)
                        : !Any(frames, in_exclude_);
}

std::string FilterHint(const std::string& filter, const std::string& exclude) {
  return absl::StrCat(
      "nothing matches: ",
      filter.empty()    ? "--exclude is"
      : exclude.empty() ? "--filter is"
                        : "--filter and --exclude are",
      filter.empty() || exclude.empty() ? " a regular expression that is"
                                        : " regular expressions that are",
      " searched for in the function, file and module of every frame; upper "
      "and lower case differ, and ( ) [ ] * + ? . want a backslash when meant "
      "literally");
}

std::string FilterText(const std::string& filter, const std::string& exclude) {
  std::string kept =
      filter.empty() ? "everything" : absl::StrCat("'", SafeText(filter), "'");
  if (exclude.empty()) return kept;
  return absl::StrCat(kept, " without '", SafeText(exclude), "'");
}

}  // namespace heaptally
