// Finds the files that describe a module: the module itself, its separate debug
// file, and the file that both share with others (dwz). A file is used only if
// its build id says that it is the one that was mapped. Never uses the network
// unless it is told to. Thread safe: no state.
#ifndef HEAPTALLY_SNAPSHOT_DEBUG_FILES_H_
#define HEAPTALLY_SNAPSHOT_DEBUG_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "snapshot/elf_file.h"
#include "snapshot/modules.h"

namespace heaptally {

struct DebugFileOptions {
  // Searched in this order, each as DIR/.build-id/xx/yyyy.debug and as
  // DIR/<folder of the module>/<name in .gnu_debuglink>.
  std::vector<std::string> directories = {"/usr/lib/debug"};
  // Ask the servers in DEBUGINFOD_URLS for what is not on this machine.
  bool use_debuginfod = false;
};

// Why a module has no lines.
enum class DebugFault {
  kNone,
  kNotStored,       // Not a file: the vdso, memory of a JIT compiler.
  kFileMissing,     // No file at the module's path.
  kFileUnreadable,  // A file that is not ELF or may not be read.
  kFileReplaced,    // The file at that path has another build id.
  kNoDebugInfo,     // The right file, without debug information.
  kNoSharedFile,    // Its .gnu_debugaltlink file is missing.
  kNoSplitFile,     // Its .dwo files are missing.
};

struct DebugFiles {
  std::unique_ptr<ElfFile> main;    // The module; null if missing or wrong.
  std::unique_ptr<ElfFile> debug;   // Separate debug file; null if none.
  std::unique_ptr<ElfFile> shared;  // Of .gnu_debugaltlink; null if none.
  DebugFault fault = DebugFault::kNone;
  std::string found_build_id;  // With kFileReplaced: that of the file on disk.

  // The file that holds the DWARF sections; null if there is none.
  const ElfFile* dwarf() const {
    if (main != nullptr && main->HasDwarf()) return main.get();
    return debug != nullptr && debug->HasDwarf() ? debug.get() : nullptr;
  }
};

DebugFiles FindDebugFiles(const Module& module,
                          const DebugFileOptions& options);

// "DIR/.build-id/xx/yyyy.debug"; empty if `build_id` is too short for that.
std::string BuildIdPath(const std::string& directory,
                        const std::string& build_id);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_DEBUG_FILES_H_
