#include "snapshot/grouping.h"

#include "absl/strings/str_cat.h"

namespace heaptally {
namespace {

struct Spelling {
  GroupBy by;
  absl::string_view name;
  absl::string_view plural;
};

constexpr Spelling kSpellings[] = {
    {GroupBy::kTraceback, "traceback", "tracebacks"},
    {GroupBy::kFunction, "function", "functions"},
    {GroupBy::kFile, "file", "files"},
    {GroupBy::kLine, "line", "lines"},
    {GroupBy::kModule, "module", "modules"},
    {GroupBy::kSizeClass, "size-class", "size classes"},
};

}  // namespace

absl::string_view GroupByName(GroupBy by) {
  return kSpellings[static_cast<int>(by)].name;
}

absl::string_view GroupByPlural(GroupBy by) {
  return kSpellings[static_cast<int>(by)].plural;
}

absl::StatusOr<GroupBy> ParseGroupBy(absl::string_view name) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.name == name) return spelling.by;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "blocks cannot be grouped by '", name,
      "'; take traceback, function, file, line, module or size-class"));
}

}  // namespace heaptally
