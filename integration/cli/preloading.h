// Whether the loader will put the runtime into a program: read off its ELF file
// before it is run. Reads files; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_PRELOADING_H_
#define HEAPTALLY_INTEGRATION_CLI_PRELOADING_H_

#include <string>

#include "absl/status/status.h"

namespace heaptally::cli {

// Why the loader cannot preload the runtime into the ELF file `path`; OK when
// it can, and for what is no ELF file.
absl::Status CheckPreloadable(const std::string& path);

// Whether running `path` gives rights that the user has not: set-uid, set-gid,
// capabilities. The loader ignores LD_PRELOAD then.
bool GainsPrivileges(const std::string& path);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_PRELOADING_H_
