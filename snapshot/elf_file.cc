#include "snapshot/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <utility>

namespace heaptally {

std::string Hex(std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (uint8_t byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::unique_ptr<ElfFile> ElfFile::Open(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nullptr;
  return FromDescriptor(fd, path);
}

std::unique_ptr<ElfFile> ElfFile::FromDescriptor(int fd, std::string path) {
  std::unique_ptr<ElfFile> file(new ElfFile(fd, {}, std::move(path)));
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return nullptr;
  if (file->elf_ == nullptr || elf_kind(file->elf_) != ELF_K_ELF) {
    return nullptr;
  }
  return file;
}

std::unique_ptr<ElfFile> ElfFile::FromImage(std::vector<char> image,
                                            std::string path) {
  std::unique_ptr<ElfFile> file(
      new ElfFile(-1, std::move(image), std::move(path)));
  if (file->elf_ == nullptr || elf_kind(file->elf_) != ELF_K_ELF) {
    return nullptr;
  }
  return file;
}

ElfFile::ElfFile(int fd, std::vector<char> image, std::string path)
    : fd_(fd), image_(std::move(image)), path_(std::move(path)) {
  elf_version(EV_CURRENT);
  elf_ = fd_ >= 0 ? elf_begin(fd_, ELF_C_READ_MMAP, nullptr)
                  : elf_memory(image_.data(), image_.size());
  if (elf_ == nullptr) return;
  const void* id = nullptr;
  ssize_t size = dwelf_elf_gnu_build_id(elf_, &id);
  if (size > 0) {
    build_id_ =
        Hex({static_cast<const uint8_t*>(id), static_cast<size_t>(size)});
  }
  ReadCodeRanges();
}

ElfFile::~ElfFile() {
  if (elf_ != nullptr) elf_end(elf_);
  if (fd_ >= 0) close(fd_);
}

void ElfFile::ReadCodeRanges() {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf_, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
    if ((header.sh_flags & kCode) != kCode) continue;
    code_.push_back({header.sh_addr, header.sh_addr + header.sh_size});
  }
}

bool ElfFile::IsCode(uint64_t address) const {
  for (const CodeRange& range : code_) {
    if (address >= range.begin && address < range.end) return true;
  }
  return false;
}

Elf_Scn* ElfFile::Section(std::string_view name) const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return nullptr;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf_, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_NOBITS) continue;
    const char* found = elf_strptr(elf_, names, header.sh_name);
    if (found != nullptr && name == found) return section;
  }
  return nullptr;
}

std::span<const char> ElfFile::SectionBytes(std::string_view name) const {
  Elf_Scn* section = Section(name);
  Elf_Data* data = section == nullptr ? nullptr : elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

bool ElfFile::HasDwarf() const {
  return Section(".debug_info") != nullptr ||
         Section(".zdebug_info") != nullptr;
}

std::optional<ElfFile::DebugLink> ElfFile::debug_link() const {
  GElf_Word crc = 0;
  const char* name = dwelf_elf_gnu_debuglink(elf_, &crc);
  if (name == nullptr || *name == '\0') return std::nullopt;
  return DebugLink{name, crc};
}

uint32_t ElfFile::Crc() const {
  size_t size = 0;
  char* bytes = elf_rawfile(elf_, &size);
  uLong crc = crc32(0, Z_NULL, 0);
  return bytes == nullptr
             ? 0
             : static_cast<uint32_t>(
                   crc32_z(crc, reinterpret_cast<const Bytef*>(bytes), size));
}

}  // namespace heaptally
