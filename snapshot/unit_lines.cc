#include "snapshot/unit_lines.h"

#include <dwarf.h>

#include <filesystem>

namespace heaptally {
namespace {

uint64_t AddressOf(Dwarf_Lines* lines, size_t row) {
  Dwarf_Addr address = 0;
  dwarf_lineaddr(dwarf_onesrcline(lines, row), &address);
  return address;
}

}  // namespace

UnitLines::UnitLines(Dwarf_Die unit, TextPool& pool) : pool_(pool) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(&unit, DW_AT_comp_dir, &attribute) != nullptr) {
    const char* folder = dwarf_formstring(&attribute);
    if (folder != nullptr) folder_ = folder;
  }
  if (dwarf_getsrclines(&unit, &lines_, &line_count_) != 0) line_count_ = 0;
  if (dwarf_getsrcfiles(&unit, &files_, &file_count_) != 0) file_count_ = 0;
}

SourceLine UnitLines::Find(uint64_t address) {
  // libdw sorts the rows by address; the last row not above `address` holds.
  size_t begin = 0;
  size_t end = line_count_;
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (AddressOf(lines_, middle) <= address) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == 0) return {};
  Dwarf_Line* row = dwarf_onesrcline(lines_, begin - 1);
  bool ends = false;
  if (dwarf_lineendsequence(row, &ends) != 0 || ends) return {};
  int line = 0;
  dwarf_lineno(row, &line);
  return {Clean(dwarf_linesrc(row, nullptr, nullptr)),
          static_cast<uint32_t>(line)};
}

std::string_view UnitLines::File(uint64_t number) {
  if (number >= file_count_) return {};
  return Clean(dwarf_filesrc(files_, number, nullptr, nullptr));
}

std::string_view UnitLines::Clean(const char* path) {
  if (path == nullptr || std::string_view(path) == "???") return {};
  auto [it, added] = clean_.try_emplace(path);
  if (added) it->second = pool_.Keep(WholePath(path));
  return it->second;
}

// libdw puts the folder of the compilation only before files that lie right in
// it, and that folder may be relative itself.
std::string UnitLines::WholePath(std::string_view path) const {
  std::filesystem::path whole(path);
  if (!path.starts_with('/') && !path.starts_with(folder_ + "/")) {
    whole = std::filesystem::path(folder_) / path;
  }
  // "a/../b" and "b" are one file, and reports group by file.
  return whole.lexically_normal().native();
}

}  // namespace heaptally
