#include "snapshot/debug_info.h"

#include <dwarf.h>

namespace heaptally {

std::unique_ptr<DebugInfo> DebugInfo::Open(const DebugFiles& files,
                                           const SymbolTable& symbols,
                                           TextPool& pool) {
  if (files.dwarf() == nullptr) return nullptr;
  std::unique_ptr<DebugInfo> info(new DebugInfo(files, symbols, pool));
  return info->dwarf_ == nullptr ? nullptr : std::move(info);
}

DebugInfo::DebugInfo(const DebugFiles& files, const SymbolTable& symbols,
                     TextPool& pool)
    : file_(*files.dwarf()), symbols_(symbols), pool_(pool) {
  dwarf_ = dwarf_begin_elf(file_.elf(), DWARF_C_READ, nullptr);
  if (dwarf_ == nullptr) return;
  if (files.shared != nullptr) {
    shared_ = dwarf_begin_elf(files.shared->elf(), DWARF_C_READ, nullptr);
    if (shared_ != nullptr) dwarf_setalt(dwarf_, shared_);
  }
  ListUnits();
}

DebugInfo::~DebugInfo() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
  if (shared_ != nullptr) dwarf_end(shared_);
}

void DebugInfo::ListUnits() {
  Dwarf_CU* cu = nullptr;
  uint8_t type = 0;
  Dwarf_Die die;
  Dwarf_Die partner;
  while (dwarf_get_units(dwarf_, cu, &cu, nullptr, &type, &die, &partner) ==
         0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    bool split = type == DW_UT_skeleton;
    auto index = static_cast<uint32_t>(units_.size());
    ForEachRange(die, [&](uint64_t begin, uint64_t end) {
      if (file_.IsCode(begin)) unit_map_.Add(begin, end, index);
    });
    units_.push_back(
        {die, split ? partner : die, split, nullptr, nullptr, nullptr});
  }
  unit_map_.Seal();
}

void DebugInfo::Load(Unit& unit) {
  if (unit.line_table != nullptr) return;
  unit.names = std::make_unique<DieNames>(pool_);
  unit.line_table = std::make_unique<UnitLines>(unit.die, pool_);
  if (unit.split && unit.functions.addr == nullptr) {
    lacks_split_file_ = true;
  } else {
    unit.function_table =
        std::make_unique<UnitFunctions>(unit.functions, file_);
  }
}

void DebugInfo::Find(uint64_t address, std::vector<SourceFrame>& frames) {
  uint32_t index = unit_map_.Find(address);
  if (index == AddressMap::kNone) return;
  Unit& unit = units_[index];
  Load(unit);
  active_.clear();
  if (unit.function_table != nullptr) {
    unit.function_table->Find(address, active_);
  }
  SourceLine at = unit.line_table->Find(address);
  if (active_.empty()) {
    if (!at.file.empty()) frames.push_back({{}, at.file, at.line, false});
    return;
  }
  auto symbol_of = [&](const Dwarf_Die& declaration) {
    uint64_t start = unit.function_table->StartOf(declaration);
    return start == 0 ? std::string_view() : symbols_.FindStart(start);
  };
  for (const Activation* activation : active_) {
    bool inlined = activation->parent != Activation::kNone;
    frames.push_back({unit.names->FunctionName(activation->die, symbol_of),
                      at.file, at.line, inlined});
    at = {unit.line_table->File(activation->call_file), activation->call_line};
  }
}

}  // namespace heaptally
