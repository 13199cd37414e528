// Writes a snapshot as a `.heaptally` file: under a temporary name in the
// target's folder, then renamed, so that a reader sees the old file or the
// whole new one. Thread-safe for distinct paths.
#ifndef HEAPTALLY_SNAPSHOT_WRITER_H_
#define HEAPTALLY_SNAPSHOT_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct WriteOptions {
  bool pack = true;   // zstd; false writes what the runtime would write.
  int level = 1;      // Of zstd.
  bool sync = false;  // fsync file and folder.
};

// Errors are one sentence: which file, what failed, what to do.
absl::Status WriteSnapshot(const Snapshot& snapshot, const std::string& path,
                           const WriteOptions& options = {});

// The bytes of the file.
absl::StatusOr<std::string> EncodeSnapshot(const Snapshot& snapshot,
                                           const WriteOptions& options = {});

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_WRITER_H_
