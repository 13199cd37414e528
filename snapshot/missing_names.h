// What to tell a user about modules without debug information: one sentence
// each, which says what was found and what would help.
#ifndef HEAPTALLY_SNAPSHOT_MISSING_NAMES_H_
#define HEAPTALLY_SNAPSHOT_MISSING_NAMES_H_

#include <string>
#include <vector>

#include "snapshot/debug_files.h"
#include "snapshot/debug_package.h"
#include "snapshot/modules.h"
#include "snapshot/name_table.h"

namespace heaptally {

struct ModuleFault {
  const Module* module;
  DebugFault fault;
  std::string found_build_id;  // With kFileReplaced.
};

// In the order of `faults`, each path and build id once; kNone and kNotStored
// are left out.
std::vector<MissingModule> DescribeMissing(
    const std::vector<ModuleFault>& faults, const DebugFileOptions& options,
    const std::string& package_lists = kDpkgLists);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_MISSING_NAMES_H_
