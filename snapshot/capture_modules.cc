#include "snapshot/capture_modules.h"

#include <elf.h>
#include <sys/uio.h>

#include "accounting/sys_io.h"

namespace heaptally {
namespace {

constexpr size_t kMaxHeaders = 64;
constexpr size_t kMaxPath = 4096;

// False unless all `size` bytes could be read.
bool ReadMemory(uintptr_t address, void* out, size_t size) {
  iovec local = {out, size};
  iovec remote = {reinterpret_cast<void*>(address), size};
  return sys::Call(SYS_process_vm_readv, static_cast<uintptr_t>(sys::GetPid()),
                   sys::Arg(&local), 1, sys::Arg(&remote),
                   1) == static_cast<intptr_t>(size);
}

struct Mapping {
  uintptr_t start;
  uintptr_t end;
  bool readable;
  bool executable;
  uint64_t offset;
  const char* path;
  size_t path_size;
};

uint64_t ParseHex(const char** at, const char* end) {
  uint64_t value = 0;
  for (; *at != end; ++*at) {
    const char c = **at;
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<uint64_t>(c - 'a' + 10);
    } else {
      break;
    }
  }
  return value;
}

void SkipField(const char** at, const char* end) {
  while (*at != end && **at != ' ') ++*at;
  while (*at != end && **at == ' ') ++*at;
}

// A line of /proc/self/maps: `start-end rwxp offset device inode   path`.
bool ParseMapping(const char* at, const char* end, Mapping* out) {
  out->start = ParseHex(&at, end);
  if (at == end || *at++ != '-') return false;
  out->end = ParseHex(&at, end);
  SkipField(&at, end);
  if (end - at < 4) return false;
  out->readable = at[0] == 'r';
  out->executable = at[2] == 'x';
  SkipField(&at, end);
  out->offset = ParseHex(&at, end);
  SkipField(&at, end);
  SkipField(&at, end);
  SkipField(&at, end);
  out->path = at;
  out->path_size = static_cast<size_t>(end - at);
  return true;
}

void FindBuildId(uintptr_t address, size_t size, MappedModule* module) {
  uint8_t notes[1024];
  if (size > sizeof(notes)) size = sizeof(notes);
  if (!ReadMemory(address, notes, size)) return;
  size_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= size) {
    Elf64_Nhdr note;
    __builtin_memcpy(&note, notes + at, sizeof(note));
    at += sizeof(note);
    const size_t name = at;
    const size_t content = name + ((size_t{note.n_namesz} + 3) & ~size_t{3});
    if (content + note.n_descsz > size) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        __builtin_memcmp(notes + name, "GNU", 4) == 0 &&
        note.n_descsz <= kMaxBuildId) {
      module->build_id_size = note.n_descsz;
      __builtin_memcpy(module->build_id, notes + content, note.n_descsz);
      return;
    }
    at = content + ((size_t{note.n_descsz} + 3) & ~size_t{3});
  }
}

// Fills in all but the path when an ELF file's beginning is mapped at
// `address`.
bool ReadElf(uintptr_t address, MappedModule* module) {
  Elf64_Ehdr elf;
  if (!ReadMemory(address, &elf, sizeof(elf))) return false;
  if (__builtin_memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phnum == 0 ||
      elf.e_phnum > kMaxHeaders) {
    return false;
  }
  Elf64_Phdr headers[kMaxHeaders];
  const size_t size = elf.e_phnum * sizeof(Elf64_Phdr);
  if (!ReadMemory(address + elf.e_phoff, headers, size)) return false;
  bool loaded = false;
  uintptr_t top = 0;
  for (size_t i = 0; i < elf.e_phnum; ++i) {
    const Elf64_Phdr& header = headers[i];
    if (header.p_type != PT_LOAD) continue;
    if (!loaded) module->bias = address - (header.p_vaddr - header.p_offset);
    loaded = true;
    if (header.p_vaddr + header.p_memsz > top) {
      top = header.p_vaddr + header.p_memsz;
    }
  }
  module->start = address;
  module->end = module->bias + top;
  module->build_id_size = 0;
  for (size_t i = 0; i < elf.e_phnum && module->build_id_size == 0; ++i) {
    if (headers[i].p_type != PT_NOTE) continue;
    FindBuildId(module->bias + headers[i].p_vaddr, headers[i].p_memsz, module);
  }
  return loaded && module->end > module->start;
}

// Knows a module from a file that is merely mapped for reading: a module has
// an executable mapping of the same file.
class ModuleFinder {
 public:
  ModuleFinder(ModuleVisitor visit, void* context)
      : visit_(visit), context_(context) {}

  void See(const Mapping& mapping) {
    if (mapping.path_size == 0) return;
    if (mapping.readable && mapping.offset == 0 &&
        !(has_module_ && IsPart(mapping))) {
      Finish();
      has_module_ = ReadElf(mapping.start, &module_);
      path_size_ = mapping.path_size < kMaxPath ? mapping.path_size : kMaxPath;
      __builtin_memcpy(path_, mapping.path, path_size_);
    }
    if (has_module_ && mapping.executable && IsPart(mapping))
      executable_ = true;
  }

  void Finish() {
    if (has_module_ && executable_) {
      module_.path = path_;
      module_.path_size = path_size_;
      visit_(context_, module_);
    }
    has_module_ = false;
    executable_ = false;
  }

 private:
  bool IsPart(const Mapping& mapping) const {
    return mapping.start >= module_.start && mapping.start < module_.end &&
           mapping.path_size == path_size_ &&
           __builtin_memcmp(mapping.path, path_, path_size_) == 0;
  }

  const ModuleVisitor visit_;
  void* const context_;
  bool has_module_ = false;
  bool executable_ = false;
  MappedModule module_ = {};
  size_t path_size_ = 0;
  char path_[kMaxPath];
};

}  // namespace

void ForEachMappedModule(char* buffer, size_t buffer_size, ModuleVisitor visit,
                         void* context) {
  const int fd = sys::Open("/proc/self/maps", O_RDONLY);
  if (sys::Failed(fd)) return;
  ModuleFinder finder(visit, context);
  size_t have = 0;
  for (;;) {
    const intptr_t n = sys::Call(SYS_read, static_cast<uintptr_t>(fd),
                                 sys::Arg(buffer + have), buffer_size - have);
    if (n == -EINTR) continue;
    if (n <= 0) break;
    have += static_cast<size_t>(n);
    size_t line = 0;
    for (size_t i = 0; i < have; ++i) {
      if (buffer[i] != '\n') continue;
      Mapping mapping;
      if (ParseMapping(buffer + line, buffer + i, &mapping)) {
        finder.See(mapping);
      }
      line = i + 1;
    }
    have -= line;
    __builtin_memmove(buffer, buffer + line, have);
    if (have == buffer_size) have = 0;  // No such line exists.
  }
  finder.Finish();
  sys::Close(fd);
}

}  // namespace heaptally
