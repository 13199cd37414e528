// The raw file as text, for people who debug it. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_DUMP_H_
#define HEAPTALLY_SNAPSHOT_DUMP_H_

#include <cstddef>
#include <ostream>
#include <string>

#include "absl/status/status.h"

namespace heaptally {

struct DumpOptions {
  std::string section = {};  // A section's name; empty: all.
  size_t rows = 20;          // Shown of each section; 0 shows all.
  bool json = false;
};

// Needs a sound header and section table; a section that is damaged is said to
// be where it stands, the others are shown, and the error is returned at the
// end.
absl::Status Dump(const std::string& path, const DumpOptions& options,
                  std::ostream& out);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_DUMP_H_
