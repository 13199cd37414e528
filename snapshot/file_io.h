// Whole files in, whole files out. Writing goes to a temporary name in the
// target's folder and is renamed at the end. Every error is one sentence with
// the path. Thread-safe for distinct paths.
#ifndef HEAPTALLY_SNAPSHOT_FILE_IO_H_
#define HEAPTALLY_SNAPSHOT_FILE_IO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "snapshot/shared_bytes.h"

namespace heaptally {

// Refuses what is no regular file.
absl::StatusOr<SharedBytes> ReadWholeFile(const std::string& path);

// Replaces `path` by the pieces one after the other. If `path` is there its
// permissions are kept.
absl::Status ReplaceFile(const std::string& path,
                         absl::Span<const absl::Span<const char>> pieces,
                         bool sync);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_FILE_IO_H_
