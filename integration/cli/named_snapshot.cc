#include "integration/cli/named_snapshot.h"

#include "snapshot/packer.h"
#include "snapshot/reader.h"
#include "snapshot/symbolizer.h"

namespace heaptally::cli {

absl::StatusOr<Snapshot> ReadNamedSnapshot(const std::string& path) {
  absl::StatusOr<Snapshot> snapshot = ReadSnapshot(path);
  if (!snapshot.ok() || snapshot->names.present()) return snapshot;
  Symbolizer symbolizer;
  if (absl::Status status = AddNames(*snapshot, symbolizer); !status.ok()) {
    return status;
  }
  return snapshot;
}

}  // namespace heaptally::cli
