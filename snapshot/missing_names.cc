#include "snapshot/missing_names.h"

#include <algorithm>

namespace heaptally {
namespace {

// "no debug information", without what would help.
std::string WhatIsWrong(const ModuleFault& fault) {
  switch (fault.fault) {
    case DebugFault::kFileMissing:
      return "the file is gone";
    case DebugFault::kFileUnreadable:
      return "the file cannot be read as ELF";
    case DebugFault::kFileReplaced:
      return "the file was replaced: it has " +
             (fault.found_build_id.empty()
                  ? std::string("no build id")
                  : "build id " + fault.found_build_id);
    case DebugFault::kNoSharedFile:
      return "the debug file that it shares with others (dwz) is missing";
    case DebugFault::kNoSplitFile:
      return "its .dwo files are missing";
    default:
      return "no debug information";
  }
}

bool PackageHelps(DebugFault fault) {
  return fault == DebugFault::kNoDebugInfo ||
         fault == DebugFault::kNoSharedFile;
}

// What would help; `package` is empty if no package owns the file.
std::string WhatHelps(const ModuleFault& fault, const std::string& package,
                      const DebugFileOptions& options) {
  if (fault.fault == DebugFault::kNoSplitFile) {
    return "keep them where they were built, or build with -gno-split-dwarf";
  }
  std::string by_id =
      options.directories.empty()
          ? ""
          : BuildIdPath(options.directories.front(), fault.module->build_id);
  if (PackageHelps(fault.fault) && !package.empty()) {
    return "install " + DebugPackageOf(package);
  }
  if (fault.fault == DebugFault::kNoDebugInfo) {
    return by_id.empty()
               ? "build it with -g"
               : "build it with -g, or put its debug file at " + by_id;
  }
  return by_id.empty() ? "run a build with build ids (-Wl,--build-id)"
                       : "put the debug file of the recorded build at " + by_id;
}

}  // namespace

std::vector<MissingModule> DescribeMissing(
    const std::vector<ModuleFault>& faults, const DebugFileOptions& options,
    const std::string& package_lists) {
  std::vector<std::string> paths;
  for (const ModuleFault& fault : faults) {
    if (PackageHelps(fault.fault)) paths.push_back(fault.module->path);
  }
  std::unordered_map<std::string, std::string> owners;
  if (!paths.empty()) owners = OwningPackages(paths, package_lists);
  std::vector<MissingModule> missing;
  for (const ModuleFault& fault : faults) {
    if (fault.fault == DebugFault::kNone ||
        fault.fault == DebugFault::kNotStored) {
      continue;
    }
    auto owner = owners.find(fault.module->path);
    std::string package = owner == owners.end() ? "" : owner->second;
    MissingModule entry{
        fault.module->path, fault.module->build_id,
        WhatIsWrong(fault) + "; " + WhatHelps(fault, package, options)};
    if (std::find(missing.begin(), missing.end(), entry) == missing.end()) {
      missing.push_back(std::move(entry));
    }
  }
  return missing;
}

}  // namespace heaptally
