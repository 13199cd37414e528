// Turns the raw file of a capture into the packed file that reads the same on
// any machine: adds names, compresses, replaces the file by rename. Not for two
// threads on one path.
#ifndef HEAPTALLY_SNAPSHOT_PACKER_H_
#define HEAPTALLY_SNAPSHOT_PACKER_H_

#include <string>

#include "absl/status/status.h"
#include "snapshot/name_table.h"
#include "snapshot/snapshot.h"
#include "snapshot/writer.h"

namespace heaptally {

// Names every node of `snapshot`; replaces names that it had.
absl::Status AddNames(Snapshot& snapshot, Namer& namer);

// Leaves a file alone that has names already. On an error the file stays as it
// was. Keeps the file's permissions.
absl::Status PackFile(const std::string& path, Namer& namer,
                      const WriteOptions& options = {});

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_PACKER_H_
