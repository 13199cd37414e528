#include "snapshot/module_symbols.h"

#include "snapshot/demangle.h"

namespace heaptally {

ModuleSymbols::ModuleSymbols(const Module& module,
                             const DebugFileOptions& options, TextPool& pool)
    : pool_(pool),
      files_(FindDebugFiles(module, options)),
      symbols_(files_),
      debug_info_(DebugInfo::Open(files_, symbols_, pool)) {}

std::vector<SourceFrame> ModuleSymbols::Find(uint64_t address) {
  std::vector<SourceFrame> frames;
  if (debug_info_ != nullptr) debug_info_->Find(address, frames);
  if (frames.empty()) frames.emplace_back();
  SourceFrame& outermost = frames.back();
  if (outermost.function.empty()) {
    std::string_view symbol = symbols_.Find(address);
    outermost.function = pool_.Keep(FunctionNameOfSymbol(symbol));
  }
  bool known = !outermost.function.empty() || !outermost.file.empty();
  if (!known) frames.pop_back();
  return frames;
}

DebugFault ModuleSymbols::fault() const {
  if (debug_info_ != nullptr && debug_info_->lacks_split_file()) {
    return DebugFault::kNoSplitFile;
  }
  // DWARF that libdw cannot open is as good as none.
  bool damaged = files_.dwarf() != nullptr && debug_info_ == nullptr;
  return damaged ? DebugFault::kNoDebugInfo : files_.fault;
}

}  // namespace heaptally
