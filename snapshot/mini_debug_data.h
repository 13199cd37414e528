// The small symbol table that some distributions leave, compressed, in stripped
// files: section .gnu_debugdata, an ELF image packed with xz.
#ifndef HEAPTALLY_SNAPSHOT_MINI_DEBUG_DATA_H_
#define HEAPTALLY_SNAPSHOT_MINI_DEBUG_DATA_H_

#include <memory>

#include "snapshot/elf_file.h"

namespace heaptally {

// Null if `file` has none, or one that is damaged or above 256 MiB.
std::unique_ptr<ElfFile> OpenMiniDebugData(const ElfFile& file);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_MINI_DEBUG_DATA_H_
