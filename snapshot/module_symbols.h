// All that is known about the code of one module: its files, its symbols and
// its DWARF, opened together and closed together. One thread at a time.
#ifndef HEAPTALLY_SNAPSHOT_MODULE_SYMBOLS_H_
#define HEAPTALLY_SNAPSHOT_MODULE_SYMBOLS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "snapshot/debug_files.h"
#include "snapshot/debug_info.h"
#include "snapshot/modules.h"
#include "snapshot/symbol_table.h"
#include "snapshot/text_pool.h"

namespace heaptally {

class ModuleSymbols {
 public:
  // Never fails: a module without files simply has no names. `pool` must
  // outlive this, and keeps the strings of the frames.
  ModuleSymbols(const Module& module, const DebugFileOptions& options,
                TextPool& pool);

  // The frames at `address` (of the file, not of memory), innermost first. None
  // if nothing is known; one without file and line if only a symbol is.
  std::vector<SourceFrame> Find(uint64_t address);

  // Why names or lines are missing; kNone if debug information was found.
  DebugFault fault() const;
  const std::string& found_build_id() const { return files_.found_build_id; }

 private:
  TextPool& pool_;
  DebugFiles files_;
  SymbolTable symbols_;
  std::unique_ptr<DebugInfo> debug_info_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_MODULE_SYMBOLS_H_
