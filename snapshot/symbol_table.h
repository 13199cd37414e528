// The functions of a module as its ELF symbols name them, sorted by address.
// Immutable once made; the files must outlive it.
#ifndef HEAPTALLY_SNAPSHOT_SYMBOL_TABLE_H_
#define HEAPTALLY_SNAPSHOT_SYMBOL_TABLE_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "snapshot/debug_files.h"

namespace heaptally {

class SymbolTable {
 public:
  // Takes the fullest table there is: .symtab of the module or of its debug
  // file; otherwise .dynsym together with the compressed .gnu_debugdata.
  explicit SymbolTable(const DebugFiles& files);

  // The symbol, still mangled, that `address` lies in; empty if none. A symbol
  // without a size (assembly) reaches to the next symbol.
  std::string_view Find(uint64_t address) const;
  // The symbol that begins at `address`; empty if none.
  std::string_view FindStart(uint64_t address) const;

 private:
  struct Symbol {
    uint64_t address;
    uint64_t size;
    const char* name;
    uint32_t rank;  // Among names of one address the lowest is shown.
  };
  void Read(const ElfFile& file, Elf_Scn* section);
  void ReadDynamic(const ElfFile& main);
  void Seal();
  const Symbol* LastAtOrBelow(uint64_t address) const;

  std::unique_ptr<ElfFile> mini_;  // From .gnu_debugdata.
  std::vector<Symbol> symbols_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SYMBOL_TABLE_H_
