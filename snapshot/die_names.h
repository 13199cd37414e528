// The names of functions from their DWARF entries (DIEs). One thread at a time;
// lives as long as libdw's handle.
//
// A function is called what its linkage name says, demangled. Compilers leave
// that name out for functions that only their own file can see. Then the name
// is that of the ELF symbol of the function's out-of-line code in the same
// unit, and if there is none (all calls were inlined), the plain name behind
// the names of the namespaces, classes and functions around it. So one function
// has one name, whether a call of it was inlined or not. In C the plain name is
// the whole name.
#ifndef HEAPTALLY_SNAPSHOT_DIE_NAMES_H_
#define HEAPTALLY_SNAPSHOT_DIE_NAMES_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "snapshot/text_pool.h"

namespace heaptally {

// The entry at the end of the chain of abstract origins and specifications:
// the declaration, which all code of one function shares.
Dwarf_Die DeclarationOf(Dwarf_Die die);

// True if the unit's language gives functions scopes and mangled names.
bool HasScopes(Dwarf_Die unit);

class DieNames {
 public:
  explicit DieNames(TextPool& pool) : pool_(pool) {}

  // Gives the ELF symbol of the out-of-line code of a declaration, or "".
  using SymbolOf = std::function<std::string_view(const Dwarf_Die&)>;

  // The full name of the function that `die` (a subprogram or an inlined one)
  // is code of; empty if it has none.
  std::string_view FunctionName(Dwarf_Die die, const SymbolOf& symbol_of);

 private:
  // Entries of one level in the order of the file, read once.
  const std::vector<Dwarf_Die>& Children(Dwarf_Die die);
  // The plain name of `die`, or what it is if it has none.
  std::string ScopeName(Dwarf_Die die);
  // The plain name of `die` behind those of the scopes around it.
  std::string ScopedName(Dwarf_Die die);

  TextPool& pool_;
  std::unordered_map<const void*, std::string_view> names_;
  std::unordered_map<const void*, std::vector<Dwarf_Die>> children_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_DIE_NAMES_H_
