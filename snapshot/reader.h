// Reads a `.heaptally` file. Its bytes are hostile: all that is refused is
// refused with one sentence that names file, section and offset. The file is
// read, not mapped, so that one that shrinks meanwhile cannot crash us.
// Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_READER_H_
#define HEAPTALLY_SNAPSHOT_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct ReadOptions {
  // Most bytes that all sections may decode to; 0: 4 GiB + 64 times the file.
  uint64_t max_decoded_bytes = 0;
};

absl::StatusOr<Snapshot> ReadSnapshot(const std::string& path,
                                      const ReadOptions& options = {});

// The same for bytes in memory; `path` is the name for messages. The snapshot
// refers to `bytes`, whose owner it keeps.
absl::StatusOr<Snapshot> ReadSnapshotFromBytes(
    const std::string& path, absl::Span<const char> bytes,
    const std::shared_ptr<const void>& owner, const ReadOptions& options = {});

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_READER_H_
