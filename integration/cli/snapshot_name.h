// The name of a snapshot file when the user gives none. Pure functions.
#ifndef HEAPTALLY_INTEGRATION_CLI_SNAPSHOT_NAME_H_
#define HEAPTALLY_INTEGRATION_CLI_SNAPSHOT_NAME_H_

#include <sys/types.h>
#include <time.h>

#include <string>

#include "absl/strings/string_view.h"

namespace heaptally::cli {

// "redis-server-71-20260131-235959.heaptally", in local time. `command` may be
// a path or any text.
std::string DefaultSnapshotName(absl::string_view command, pid_t pid,
                                time_t now);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_SNAPSHOT_NAME_H_
