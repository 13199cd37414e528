// The parameters behind the question mark of an address. Pure functions.
#ifndef HEAPTALLY_INTEGRATION_VIEW_QUERY_STRING_H_
#define HEAPTALLY_INTEGRATION_VIEW_QUERY_STRING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace heaptally::view {

using ParameterList = std::vector<std::pair<std::string, std::string>>;

// "a=1&b=x%20y+z". Errors: a % that is followed by no two hexadecimal digits.
absl::StatusOr<ParameterList> ParseQueryString(absl::string_view text);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_QUERY_STRING_H_
