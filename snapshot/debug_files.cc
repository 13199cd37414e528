#include "snapshot/debug_files.h"

#include <sys/stat.h>

#include <cstring>
#include <utility>

#include "snapshot/debuginfod.h"

namespace heaptally {
namespace {

using FilePtr = std::unique_ptr<ElfFile>;

std::string FolderOf(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

FilePtr OpenWithBuildId(const std::string& path, const std::string& build_id) {
  FilePtr file = ElfFile::Open(path);
  return file != nullptr && file->build_id() == build_id ? std::move(file)
                                                         : nullptr;
}

FilePtr FindByBuildId(const std::string& build_id,
                      const DebugFileOptions& options) {
  for (const std::string& directory : options.directories) {
    std::string path = BuildIdPath(directory, build_id);
    if (path.empty()) break;
    if (FilePtr file = OpenWithBuildId(path, build_id)) return file;
  }
  if (!options.use_debuginfod) return nullptr;
  std::string path;
  int fd = DebuginfodFind(build_id, path);
  FilePtr file = fd < 0 ? nullptr : ElfFile::FromDescriptor(fd, path);
  return file != nullptr && file->build_id() == build_id ? std::move(file)
                                                         : nullptr;
}

// A debug file that the module names; without build ids its checksum decides.
FilePtr FindByDebugLink(const ElfFile& main, const DebugFileOptions& options) {
  std::optional<ElfFile::DebugLink> link = main.debug_link();
  if (!link.has_value()) return nullptr;
  std::string folder = FolderOf(main.path());
  std::vector<std::string> paths = {folder + "/" + link->name,
                                    folder + "/.debug/" + link->name};
  for (const std::string& directory : options.directories) {
    paths.push_back(directory + folder + "/" + link->name);
    paths.push_back(directory + "/" + link->name);
  }
  for (const std::string& path : paths) {
    FilePtr file = path == main.path() ? nullptr : ElfFile::Open(path);
    if (file == nullptr) continue;
    bool right = main.build_id().empty() ? file->Crc() == link->crc
                                         : file->build_id() == main.build_id();
    if (right) return file;
  }
  return nullptr;
}

// The file named by `file`'s .gnu_debugaltlink: a path, NUL, a build id.
FilePtr FindShared(const ElfFile& file, const DebugFileOptions& options,
                   bool& wanted) {
  std::span<const char> link = file.SectionBytes(".gnu_debugaltlink");
  const void* nul =
      link.empty() ? nullptr : std::memchr(link.data(), 0, link.size());
  wanted = nul != nullptr;
  if (!wanted) return nullptr;
  std::string path(link.data());
  std::span<const char> id = link.subspan(path.size() + 1);
  std::string build_id =
      Hex({reinterpret_cast<const uint8_t*>(id.data()), id.size()});
  if (!path.starts_with('/')) path = FolderOf(file.path()) + "/" + path;
  FilePtr shared = OpenWithBuildId(path, build_id);
  return shared != nullptr ? std::move(shared)
                           : FindByBuildId(build_id, options);
}

void OpenMain(const Module& module, DebugFiles& files) {
  struct stat info;
  if (!module.path.starts_with('/')) {
    files.fault = DebugFault::kNotStored;
  } else if (stat(module.path.c_str(), &info) != 0) {
    files.fault = DebugFault::kFileMissing;
  } else if (files.main = ElfFile::Open(module.path); files.main == nullptr) {
    files.fault = DebugFault::kFileUnreadable;
  } else if (files.main->build_id() != module.build_id) {
    files.fault = DebugFault::kFileReplaced;
    files.found_build_id = files.main->build_id();
    files.main = nullptr;
  }
}

}  // namespace

std::string BuildIdPath(const std::string& directory,
                        const std::string& build_id) {
  if (build_id.size() < 4) return "";
  return directory + "/.build-id/" + build_id.substr(0, 2) + "/" +
         build_id.substr(2) + ".debug";
}

DebugFiles FindDebugFiles(const Module& module,
                          const DebugFileOptions& options) {
  DebugFiles files;
  OpenMain(module, files);
  if (files.fault == DebugFault::kNotStored) return files;
  if (files.dwarf() == nullptr) {
    files.debug = FindByBuildId(module.build_id, options);
    if (files.debug == nullptr && files.main != nullptr) {
      files.debug = FindByDebugLink(*files.main, options);
    }
  }
  const ElfFile* dwarf = files.dwarf();
  if (dwarf == nullptr) {
    if (files.main != nullptr) files.fault = DebugFault::kNoDebugInfo;
    return files;
  }
  bool wanted = false;
  files.shared = FindShared(*dwarf, options, wanted);
  files.fault = wanted && files.shared == nullptr ? DebugFault::kNoSharedFile
                                                  : DebugFault::kNone;
  return files;
}

}  // namespace heaptally
