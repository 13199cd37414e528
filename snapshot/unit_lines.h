// The line table of one compilation unit. Strings live as long as the
// TextPool given; the rest as long as libdw's handle. One thread at a time.
#ifndef HEAPTALLY_SNAPSHOT_UNIT_LINES_H_
#define HEAPTALLY_SNAPSHOT_UNIT_LINES_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "snapshot/text_pool.h"

namespace heaptally {

struct SourceLine {
  std::string_view file;  // Empty if unknown.
  uint32_t line = 0;      // 0 if unknown.
};

class UnitLines {
 public:
  UnitLines(Dwarf_Die unit, TextPool& pool);

  // The line that the instruction at `address` comes from.
  SourceLine Find(uint64_t address);

  // A file of the unit by its number, as DW_AT_call_file has it.
  std::string_view File(uint64_t number);

 private:
  std::string_view Clean(const char* path);
  std::string WholePath(std::string_view path) const;

  TextPool& pool_;
  std::string folder_;  // Where the unit was compiled.
  Dwarf_Lines* lines_ = nullptr;
  size_t line_count_ = 0;
  Dwarf_Files* files_ = nullptr;
  size_t file_count_ = 0;
  std::unordered_map<const char*, std::string_view> clean_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_UNIT_LINES_H_
