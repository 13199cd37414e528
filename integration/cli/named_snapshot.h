// Reads a snapshot for a command; one that was not packed yet gets its names
// from the modules of this machine. Not thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_NAMED_SNAPSHOT_H_
#define HEAPTALLY_INTEGRATION_CLI_NAMED_SNAPSHOT_H_

#include <string>

#include "absl/status/statusor.h"
#include "snapshot/snapshot.h"

namespace heaptally::cli {

absl::StatusOr<Snapshot> ReadNamedSnapshot(const std::string& path);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_NAMED_SNAPSHOT_H_
