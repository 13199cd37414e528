// The environment that `run` gives to the program: the runtime first in
// LD_PRELOAD, the options in HEAPTALLY. Pure functions.
#ifndef HEAPTALLY_INTEGRATION_CLI_LAUNCH_ENVIRONMENT_H_
#define HEAPTALLY_INTEGRATION_CLI_LAUNCH_ENVIRONMENT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace heaptally::cli {

using RuntimeSettings = std::vector<std::pair<std::string, std::string>>;

// `existing` (the user's HEAPTALLY) with each of `options` put in the place of
// the same option, or at the end. Values with a comma are refused: the
// variable has no way to write them.
absl::StatusOr<std::string> MergeOptions(absl::string_view existing,
                                         const RuntimeSettings& options);

// `environment` ("NAME=value" words) with the runtime and the options added.
// All other variables keep their value and place.
std::vector<std::string> LaunchEnvironment(
    const std::vector<std::string>& environment, absl::string_view runtime,
    absl::string_view options);

// The value of `name` in `environment`, or the empty text.
std::string ValueOf(const std::vector<std::string>& environment,
                    absl::string_view name);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_LAUNCH_ENVIRONMENT_H_
