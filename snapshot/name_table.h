// The names of return addresses, as columns: a location (one distinct return
// address) has frames, innermost first, and strings are kept once. Filled by a
// Namer, one thread at a time.
#ifndef HEAPTALLY_SNAPSHOT_NAME_TABLE_H_
#define HEAPTALLY_SNAPSHOT_NAME_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/modules.h"

namespace heaptally {

// One frame of a location. All but the last of a location are inlined into the
// one that follows.
struct FrameName {
  absl::string_view function;  // Demangled; empty if unknown.
  absl::string_view file;      // Empty if unknown.
  uint32_t line = 0;           // 0 if unknown.
  bool inlined = false;
  absl::string_view module;  // Base name of the module.
};

// A module whose names or lines could not be found, and what would help.
struct MissingModule {
  std::string module;    // Path.
  std::string build_id;  // Empty if it has none.
  std::string hint;      // A sentence without newline or tab.
  friend bool operator==(const MissingModule&, const MissingModule&) = default;
};

class NameTable {
 public:
  NameTable();

  // Ends with the index of the new location. Without frames the location stays
  // unresolved and reads as "module+0xoffset".
  uint32_t AddLocation(absl::Span<const FrameName> frames);
  void AddMissing(MissingModule missing) {
    missing_.push_back(std::move(missing));
  }
  size_t locations() const { return location_begin_.size() - 1; }

 private:
  friend struct Names;  // Takes the columns.
  uint32_t Intern(absl::string_view text);

  std::vector<char> strings_;
  absl::flat_hash_map<std::string, uint32_t> offsets_;
  std::vector<uint32_t> location_begin_;
  std::vector<uint32_t> function_, file_, line_, flags_, module_;
  std::vector<MissingModule> missing_;
};

// What the symbolizer implements.
class Namer {
 public:
  virtual ~Namer() = default;
  // Calls table.AddLocation exactly once for each of `pcs`, in their order, and
  // AddMissing for what it could not name. `pcs` are distinct, ascending, as
  // stored: return addresses (look up pc - 1) with the module's generation in
  // the top 16 bits. An address that cannot be named is no error.
  virtual absl::Status Name(absl::Span<const Module> modules,
                            absl::Span<const uint64_t> pcs,
                            NameTable& table) = 0;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_NAME_TABLE_H_
