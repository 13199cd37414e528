#include "integration/cli/preloading.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace heaptally::cli {
namespace {

std::vector<ElfW(Phdr)> Segments(std::ifstream& file,
                                 const ElfW(Ehdr) & header) {
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  file.clear();
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  if (!file.read(reinterpret_cast<char*>(segments.data()),
                 static_cast<std::streamsize>(segments.size() *
                                              sizeof(segments[0])))) {
    segments.clear();
  }
  return segments;
}

// `size` bytes at `offset`; fewer or none if the file is shorter.
std::string ReadAt(std::ifstream& file, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

// The interpreter that the ELF file asks for, or the empty text.
std::string ElfInterpreter(std::ifstream& file,
                           const std::vector<ElfW(Phdr)>& segments) {
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_INTERP || segment.p_filesz > 4096) continue;
    return ReadAt(file, segment.p_offset, segment.p_filesz).c_str();
  }
  return "";
}

uint64_t FileOffset(const std::vector<ElfW(Phdr)>& segments, uint64_t address) {
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type == PT_LOAD &&
        address - segment.p_vaddr < segment.p_filesz) {
      return address - segment.p_vaddr + segment.p_offset;
    }
  }
  return 0;
}

// The libraries that the ELF file itself asks for.
std::vector<std::string> NeededLibraries(
    std::ifstream& file, const std::vector<ElfW(Phdr)>& segments) {
  constexpr size_t kMostBytes = 1 << 20;
  constexpr size_t kLongestName = 256;
  std::vector<uint64_t> names;
  uint64_t strings = 0;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_DYNAMIC || segment.p_filesz > kMostBytes) continue;
    const std::string bytes = ReadAt(file, segment.p_offset, segment.p_filesz);
    ElfW(Dyn) entry;
    for (size_t at = 0; at + sizeof(entry) <= bytes.size();
         at += sizeof(entry)) {
      memcpy(&entry, bytes.data() + at, sizeof(entry));
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) {
        strings = FileOffset(segments, entry.d_un.d_ptr);
      }
    }
  }
  std::vector<std::string> libraries;
  for (const uint64_t name : names) {
    libraries.emplace_back(ReadAt(file, strings + name, kLongestName).c_str());
  }
  return libraries;
}

// The library of a sanitizer with a malloc of its own, or the empty text.
std::string SanitizerAmong(const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries) {
    for (const absl::string_view name :
         {"libasan.so", "libtsan.so", "liblsan.so", "libhwasan.so",
          "libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.msan",
          "libclang_rt.hwasan"}) {
      if (absl::StartsWith(library, name)) return library;
    }
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
  const std::vector<ElfW(Phdr)> segments = Segments(file, header);
  const std::string interpreter = ElfInterpreter(file, segments);
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
  const std::string sanitizer = SanitizerAmong(NeededLibraries(file, segments));
  if (!sanitizer.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is built with a sanitizer (", sanitizer,
        "), which brings a malloc of its own; build it without the sanitizer "
        "or run it without heaptally"));
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
