// The functions of one compilation unit and what was inlined into them. The
// functions are listed once; the tree of a function's inlined calls is read
// when an address in it is first asked for. One thread at a time; lives as long
// as libdw's handle.
#ifndef HEAPTALLY_SNAPSHOT_UNIT_FUNCTIONS_H_
#define HEAPTALLY_SNAPSHOT_UNIT_FUNCTIONS_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "snapshot/address_map.h"
#include "snapshot/elf_file.h"

namespace heaptally {

// Calls `visit(begin, end)` for each piece of code of `die`.
template <typename Visit>
void ForEachRange(Dwarf_Die& die, Visit visit) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  ptrdiff_t offset = 0;
  while ((offset = dwarf_ranges(&die, offset, &base, &begin, &end)) > 0) {
    visit(begin, end);
  }
}

// A call that was inlined, or, with `parent` == kNone, the function that has
// its own code.
struct Activation {
  static constexpr uint32_t kNone = UINT32_MAX;
  Dwarf_Die die;
  uint32_t parent;     // Index of the one that it was inlined into.
  uint64_t call_file;  // Where that one calls it: number of the unit's file,
  uint32_t call_line;  // and line.
};

class UnitFunctions {
 public:
  // `unit`'s code lies in `file`; code outside of its sections was discarded by
  // the linker.
  UnitFunctions(Dwarf_Die unit, const ElfFile& file);

  // Appends what is active at `address`, innermost first; the last one is the
  // function itself. Appends nothing if no function is there.
  void Find(uint64_t address, std::vector<const Activation*>& active);

  // Where the code of the function declared by `declaration` begins; 0 if it
  // has none in this unit.
  uint64_t StartOf(const Dwarf_Die& declaration);

 private:
  struct Function {
    Dwarf_Die die;
    uint64_t begin;
    uint64_t size;
  };
  // What is inlined into one function; activations[0] is the function.
  struct Inlines {
    std::vector<Activation> activations;
    AddressMap map;
  };
  void Collect(Dwarf_Die parent, bool everywhere);
  void Add(Dwarf_Die& die);
  void SealFunctions();
  const Inlines& InlinesOf(uint32_t function);
  static void ReadInlines(Dwarf_Die parent, uint32_t around, Inlines& inlines);

  Dwarf_Die unit_;
  const ElfFile& file_;
  std::vector<Function> functions_;
  AddressMap map_;
  bool everywhere_ = false;  // Nested functions are listed too.
  std::unordered_map<uint32_t, std::unique_ptr<Inlines>> inlines_;
  std::unordered_map<const void*, uint64_t> starts_;
  bool starts_known_ = false;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_UNIT_FUNCTIONS_H_
