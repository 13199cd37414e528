#include "integration/cli/preloading.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace heaptally::cli {
namespace {

// The interpreter that the ELF file asks for, or the empty text.
std::string ElfInterpreter(const std::string& path, const ElfW(Ehdr) & header) {
  std::ifstream file(path, std::ios::binary);
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    file.seekg(
        static_cast<std::streamoff>(header.e_phoff + i * sizeof(segment)));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof(segment))) break;
    if (segment.p_type != PT_INTERP || segment.p_filesz > 4096) continue;
    std::string interpreter(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(interpreter.data(),
                   static_cast<std::streamsize>(interpreter.size()))) {
      break;
    }
    return interpreter.c_str();
  }
  return "";
}

bool IsLoader(absl::string_view path) {
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  return absl::StartsWith(name, "ld-linux") || absl::StartsWith(name, "ld.so");
}

bool IsOurMachine(const ElfW(Ehdr) & header) {
#if defined(__x86_64__)
  constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
  constexpr int kMachine = EM_AARCH64;
#else
  constexpr int kMachine = EM_NONE;
#endif
  constexpr int kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  return header.e_ident[EI_CLASS] == kClass &&
         (kMachine == EM_NONE || header.e_machine == kMachine);
}

}  // namespace

absl::Status CheckPreloadable(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header = {};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof(header)) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    // The kernel and the shells decide what else they run.
    return absl::OkStatus();
  }
  if (!IsOurMachine(header)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path,
        " is built for another machine or word size than heaptally's runtime; "
        "it can only be run without heaptally"));
  }
  const std::string interpreter = ElfInterpreter(path, header);
  if (interpreter.empty() && !IsLoader(path)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path,
        " is statically linked, so nothing can be preloaded into it; link it "
        "with libheaptally.a or build it dynamically"));
  }
  if (absl::StrContains(interpreter, "ld-musl")) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " uses the C library musl (", interpreter,
                     "); heaptally's runtime needs glibc"));
  }
  return absl::OkStatus();
}

bool GainsPrivileges(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return false;
  if ((info.st_mode & S_ISUID) != 0 && info.st_uid != getuid()) return true;
  const bool group_runs = (info.st_mode & S_IXGRP) != 0;
  if ((info.st_mode & S_ISGID) != 0 && group_runs && info.st_gid != getgid()) {
    return true;
  }
  return getuid() != 0 &&
         getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace heaptally::cli
