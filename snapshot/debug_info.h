// The DWARF of one module: from an address to functions, files and lines, with
// the calls that were inlined there. Reads a compilation unit when an address
// in it is first asked for. One thread at a time.
#ifndef HEAPTALLY_SNAPSHOT_DEBUG_INFO_H_
#define HEAPTALLY_SNAPSHOT_DEBUG_INFO_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "snapshot/address_map.h"
#include "snapshot/debug_files.h"
#include "snapshot/die_names.h"
#include "snapshot/symbol_table.h"
#include "snapshot/text_pool.h"
#include "snapshot/unit_functions.h"
#include "snapshot/unit_lines.h"

namespace heaptally {

// A frame as the source has it.
struct SourceFrame {
  std::string_view function;  // Demangled; empty if unknown.
  std::string_view file;      // Empty if unknown.
  uint32_t line = 0;          // 0 if unknown.
  bool inlined = false;       // Into the frame that follows.
  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

class DebugInfo {
 public:
  // All three must outlive this. Null if `files` hold no readable DWARF.
  static std::unique_ptr<DebugInfo> Open(const DebugFiles& files,
                                         const SymbolTable& symbols,
                                         TextPool& pool);
  ~DebugInfo();
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;

  // Appends the frames at `address`, an address of the file, innermost first.
  // The innermost frame's line is that of the instruction, the others' are
  // those of the calls that were inlined. Appends nothing if no unit covers it;
  // appends one frame without a function if only the line is known.
  void Find(uint64_t address, std::vector<SourceFrame>& frames);

  // True if a unit that was asked for keeps its functions in a .dwo file that
  // is not there.
  bool lacks_split_file() const { return lacks_split_file_; }

 private:
  struct Unit {
    Dwarf_Die die;        // Has the code ranges and the lines.
    Dwarf_Die functions;  // The same entry, or its partner in a .dwo file.
    bool split;
    std::unique_ptr<DieNames> names;
    std::unique_ptr<UnitLines> line_table;
    std::unique_ptr<UnitFunctions> function_table;
  };
  DebugInfo(const DebugFiles& files, const SymbolTable& symbols,
            TextPool& pool);
  void ListUnits();
  void Load(Unit& unit);

  const ElfFile& file_;
  const SymbolTable& symbols_;
  Dwarf* shared_ = nullptr;  // Of .gnu_debugaltlink.
  Dwarf* dwarf_ = nullptr;
  TextPool& pool_;
  std::vector<Unit> units_;
  AddressMap unit_map_;
  std::vector<const Activation*> active_;  // Kept for its memory.
  bool lacks_split_file_ = false;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_DEBUG_INFO_H_
