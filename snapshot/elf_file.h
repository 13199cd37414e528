// One ELF file on disk, open for reading: its build id, its links to separate
// debug files, its sections. Owns the descriptor and libelf's handle; use it in
// one thread at a time.
#ifndef HEAPTALLY_SNAPSHOT_ELF_FILE_H_
#define HEAPTALLY_SNAPSHOT_ELF_FILE_H_

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heaptally {

class ElfFile {
 public:
  // Null if the file cannot be read or is not ELF.
  static std::unique_ptr<ElfFile> Open(const std::string& path);
  static std::unique_ptr<ElfFile> FromDescriptor(int fd, std::string path);
  // Of an image in memory, which the file then owns.
  static std::unique_ptr<ElfFile> FromImage(std::vector<char> image,
                                            std::string path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  Elf* elf() const { return elf_; }
  const std::string& path() const { return path_; }

  // Lower-case hex, empty if the file has none.
  const std::string& build_id() const { return build_id_; }
  bool HasDwarf() const;

  struct DebugLink {
    std::string name;
    uint32_t crc;
  };
  std::optional<DebugLink> debug_link() const;

  // Null if there is no section of that name with bytes in this file.
  Elf_Scn* Section(std::string_view name) const;
  std::span<const char> SectionBytes(std::string_view name) const;

  // The CRC-32 of the whole file that .gnu_debuglink names.
  uint32_t Crc() const;

  // True if `address` lies in a section that holds code.
  bool IsCode(uint64_t address) const;

 private:
  ElfFile(int fd, std::vector<char> image, std::string path);
  void ReadCodeRanges();

  struct CodeRange {
    uint64_t begin, end;
  };
  int fd_;
  std::vector<char> image_;
  std::string path_;
  Elf* elf_;
  std::string build_id_;
  std::vector<CodeRange> code_;
};

// Lower-case hex of `bytes`.
std::string Hex(std::span<const uint8_t> bytes);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_ELF_FILE_H_
