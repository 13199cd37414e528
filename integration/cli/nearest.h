// The word of a list that a mistyped word probably meant. A pure function.
#ifndef HEAPTALLY_INTEGRATION_CLI_NEAREST_H_
#define HEAPTALLY_INTEGRATION_CLI_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace heaptally::cli {

// The fewest insertions, removals, replacements and swaps of neighbouring
// letters that turn `a` into `b`.
size_t EditDistance(absl::string_view a, absl::string_view b);

// The nearest of `known`, or the empty text when none is near: more than a
// third of the longer word would have to change.
std::string Nearest(absl::string_view word,
                    const std::vector<std::string>& known);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_NEAREST_H_
