// Paths as people type them. Reads the environment; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_USER_PATH_H_
#define HEAPTALLY_INTEGRATION_VIEW_USER_PATH_H_

#include <string>

#include "absl/status/statusor.h"

namespace heaptally::view {

// Absolute: from the folder in which the tool was started, "~/" from HOME.
// Errors: empty, or with a zero byte.
absl::StatusOr<std::string> UserPath(const std::string& text);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_USER_PATH_H_
