// Checks what the sections of a file say: ids in range, parents before
// children, addresses ascending, columns that agree. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_VALIDATE_H_
#define HEAPTALLY_SNAPSHOT_VALIDATE_H_

#include "absl/status/status.h"
#include "snapshot/section_file.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// Columns of a group have one length; every mandatory section is there.
absl::Status ValidateCounts(const SectionFile& file);

// Everything else, once the columns are loaded. Linear, no allocation.
absl::Status ValidateContent(const SectionFile& file, const Snapshot& snapshot);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_VALIDATE_H_
