#include "integration/cli/grouping_arguments.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "integration/cli/nearest.h"
#include "integration/cli/values.h"
#include "snapshot/report.h"

namespace heaptally::cli {

void GroupingArguments::Declare(Arguments& arguments) {
  arguments.Value(
      "--by", "GROUPING",
      "Sum by traceback (the default), function, file, line, module "
      "or size-class.",
      &by_);
  arguments.Value("--top", "N",
                  "Show the N largest groups and say what is left out; 0 shows "
                  "all. People get 20, --json all.",
                  &top_);
  arguments.Value("--filter", "REGEX",
                  "Only tracebacks with a frame whose function, file or module "
                  "matches.",
                  &filter_);
  arguments.Value("--exclude", "REGEX",
                  "Leave out tracebacks that have such a frame.", &exclude_);
  arguments.Flag("--json",
                 "Print JSON with exact bytes. By anything but traceback, "
                 "groups[] has the sums and tracebacks[] is empty.",
                 &json_);
}

absl::StatusOr<GroupBy> GroupingArguments::by() const {
  if (!by_.has_value()) return GroupBy::kTraceback;
  absl::StatusOr<GroupBy> by = ParseGroupBy(*by_);
  if (by.ok()) return by;
  const std::string nearest = Nearest(
      *by_, {"traceback", "function", "file", "line", "module", "size-class"});
  return absl::InvalidArgumentError(absl::StrCat(
      "--by: unknown grouping ", by_->empty() ? "(empty)" : *by_, "; ",
      nearest.empty() ? "" : absl::StrCat("did you mean ", nearest, "? "),
      "there are traceback, function, file, line, module and size-class"));
}

absl::StatusOr<size_t> GroupingArguments::top() const {
  if (top_.has_value()) return ParseCount("--top", *top_, 0, INT64_MAX);
  return json_ ? size_t{0} : kDefaultTextTop;
}

}  // namespace heaptally::cli
