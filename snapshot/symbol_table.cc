#include "snapshot/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "snapshot/mini_debug_data.h"

namespace heaptally {
namespace {

// How many symbols that end too early Find looks past.
constexpr int kStepsBack = 16;

// Aliases share an address. Functions come before plain labels, names that
// other files may use before local ones, then those with fewer underscores in
// front: `malloc` before `__libc_malloc`.
uint32_t Rank(const GElf_Sym& symbol, const char* name) {
  uint32_t label = GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE;
  uint32_t local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
  auto underscores = static_cast<uint32_t>(std::strspn(name, "_"));
  return label << 17 | local << 16 | std::min(underscores, 0xffffu);
}

bool MayBeFunction(const GElf_Sym& symbol, const ElfFile& file) {
  if (symbol.st_shndx == SHN_UNDEF) return false;
  switch (GELF_ST_TYPE(symbol.st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC:
      return true;
    case STT_NOTYPE:
      return file.IsCode(symbol.st_value);
    default:
      return false;
  }
}

}  // namespace

SymbolTable::SymbolTable(const DebugFiles& files) {
  for (const ElfFile* file : {files.main.get(), files.debug.get()}) {
    if (file == nullptr) continue;
    if (Elf_Scn* full = file->Section(".symtab"); full != nullptr) {
      Read(*file, full);
    }
    if (!symbols_.empty()) break;
  }
  if (symbols_.empty() && files.main != nullptr) ReadDynamic(*files.main);
  Seal();
}

void SymbolTable::ReadDynamic(const ElfFile& main) {
  if (Elf_Scn* dynamic = main.Section(".dynsym"); dynamic != nullptr) {
    Read(main, dynamic);
  }
  mini_ = OpenMiniDebugData(main);
  if (mini_ != nullptr) {
    if (Elf_Scn* more = mini_->Section(".symtab"); more != nullptr) {
      Read(*mini_, more);
    }
  }
}

void SymbolTable::Read(const ElfFile& file, Elf_Scn* section) {
  GElf_Shdr header;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || gelf_getshdr(section, &header) == nullptr ||
      header.sh_entsize == 0) {
    return;
  }
  size_t count = std::min<size_t>(data->d_size / header.sh_entsize, INT32_MAX);
  symbols_.reserve(symbols_.size() + count / 2);
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    if (!MayBeFunction(symbol, file)) continue;
    const char* name = elf_strptr(file.elf(), header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    symbols_.push_back(
        {symbol.st_value, symbol.st_size, name, Rank(symbol, name)});
  }
}

void SymbolTable::Seal() {
  std::sort(symbols_.begin(), symbols_.end(),
            [](const Symbol& a, const Symbol& b) {
              if (a.address != b.address) return a.address < b.address;
              if (a.rank != b.rank) return a.rank < b.rank;
              return std::strcmp(a.name, b.name) < 0;
            });
  // One symbol an address, as long as the longest of them.
  size_t kept = 0;
  for (const Symbol& symbol : symbols_) {
    if (kept > 0 && symbols_[kept - 1].address == symbol.address) {
      symbols_[kept - 1].size = std::max(symbols_[kept - 1].size, symbol.size);
    } else {
      symbols_[kept++] = symbol;
    }
  }
  symbols_.resize(kept);
}

const SymbolTable::Symbol* SymbolTable::LastAtOrBelow(uint64_t address) const {
  auto above = std::upper_bound(
      symbols_.begin(), symbols_.end(), address,
      [](uint64_t a, const Symbol& symbol) { return a < symbol.address; });
  return above == symbols_.begin() ? nullptr : &*std::prev(above);
}

std::string_view SymbolTable::Find(uint64_t address) const {
  const Symbol* symbol = LastAtOrBelow(address);
  if (symbol == nullptr) return {};
  // Labels, and functions inside functions, may stand before the one that
  // really is around `address`.
  const Symbol* label = symbol->size == 0 ? symbol : nullptr;
  for (int steps = 0; steps < kStepsBack; ++steps, --symbol) {
    if (address - symbol->address < symbol->size) return symbol->name;
    if (symbol == symbols_.data()) break;
  }
  return label == nullptr ? std::string_view() : label->name;
}

std::string_view SymbolTable::FindStart(uint64_t address) const {
  const Symbol* symbol = LastAtOrBelow(address);
  bool starts = symbol != nullptr && symbol->address == address;
  return starts ? symbol->name : std::string_view();
}

}  // namespace heaptally
