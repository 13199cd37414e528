// Whether two snapshots say the same, for tests. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_SNAPSHOT_EQUAL_H_
#define HEAPTALLY_SNAPSHOT_SNAPSHOT_EQUAL_H_

#include <cstring>

#include "snapshot/columns.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// All but the path and the encoding.
inline bool SameContent(const Snapshot& a, const Snapshot& b) {
  const auto bytes = [](const auto& column) {
    return absl::string_view(reinterpret_cast<const char*>(column.data()),
                             column.size() * sizeof(column[0]));
  };
  if (bytes(a.recording) != bytes(b.recording)) return false;
  if (a.unknown.size() != b.unknown.size()) return false;
  for (size_t i = 0; i < a.unknown.size(); ++i) {
    if (a.unknown[i].entry.kind != b.unknown[i].entry.kind ||
        a.unknown[i].stored != b.unknown[i].stored) {
      return false;
    }
  }
  return a.facts == b.facts && a.capture == b.capture && a.notes == b.notes &&
         a.modules == b.modules && a.nodes == b.nodes &&
         a.tracebacks == b.tracebacks && a.blocks == b.blocks &&
         a.names == b.names;
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SNAPSHOT_EQUAL_H_
