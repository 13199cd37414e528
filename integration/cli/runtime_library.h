// Where libheaptally.so is: beside the tool, in the build tree as in an
// installed prefix. Reads the file system; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_RUNTIME_LIBRARY_H_
#define HEAPTALLY_INTEGRATION_CLI_RUNTIME_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"

namespace heaptally::cli {

// The absolute path of the running tool.
absl::StatusOr<std::string> OwnExecutable();

// The runtime of the tool at `executable` (<prefix>/bin/heaptally). The error
// names every place that was tried.
absl::StatusOr<std::string> FindRuntime(const std::string& executable);

// Checks a path given by the user and makes it absolute. LD_PRELOAD separates
// by spaces and colons and knows no escape, so a path with one is refused.
absl::StatusOr<std::string> CheckRuntime(const std::string& path);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_RUNTIME_LIBRARY_H_
