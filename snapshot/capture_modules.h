// The program's modules as a snapshot records them: where each is loaded, its
// build id and path, found from the kernel's list of mappings and from the
// mapped ELF headers. Reads memory through the kernel, so that a page which
// cannot be read is an error code and not a fault. System calls only.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_MODULES_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_MODULES_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

inline constexpr size_t kMaxBuildId = 64;

struct MappedModule {
  uintptr_t start;
  uintptr_t end;
  uintptr_t bias;  // load address minus the addresses in the file
  size_t build_id_size;
  uint8_t build_id[kMaxBuildId];
  const char* path;
  size_t path_size;
};

using ModuleVisitor = void (*)(void* context, const MappedModule& module);

// Calls `visit` for every loaded module, in ascending address order. `buffer`
// holds what is being read, at least 32 KiB.
void ForEachMappedModule(char* buffer, size_t buffer_size, ModuleVisitor visit,
                         void* context);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_MODULES_H_
