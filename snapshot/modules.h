// The modules (programs, libraries, vdso) that were mapped when return
// addresses were recorded, and the look-up of an address among them.
// Immutable once made, so that any thread may read it.
#ifndef HEAPTALLY_SNAPSHOT_MODULES_H_
#define HEAPTALLY_SNAPSHOT_MODULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace heaptally {

struct Module {
  uint64_t start = 0;  // First address of the mapping.
  uint64_t end = 0;    // First address behind it.
  uint64_t bias = 0;   // Address in memory - address in the file's symbols.
  uint32_t generation = 0;  // 0: loaded; else the pc's top 16 bits.
  std::string build_id;     // Lower-case hex; empty if it has none.
  std::string path;

  friend bool operator==(const Module&, const Module&) = default;
};

// Lines `start-end bias generation build_id path`, numbers in hex. Errors as
// KeyValues::Parse gives them.
absl::StatusOr<std::vector<Module>> ParseModules(absl::string_view text);
std::string FormatModules(absl::Span<const Module> modules);

// The file name without its folders.
absl::string_view Basename(absl::string_view path);

// Finds the module of a stored return address; the modules must outlive it.
class ModuleMap {
 public:
  ModuleMap() = default;
  explicit ModuleMap(absl::Span<const Module> modules);
  // `pc` as it is stored: return address with the generation in its top bits.
  // Null if no module held it.
  const Module* Find(uint64_t pc) const;

 private:
  std::vector<const Module*> sorted_;  // By generation and start.
};

// "libfoo.so+0x1234" (from the load bias), or "0x7f0012345678" outside.
std::string ModuleOffsetName(const Module* module, uint64_t pc);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_MODULES_H_
