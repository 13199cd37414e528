#include "snapshot/unit_functions.h"

#include <dwarf.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "snapshot/die_names.h"

namespace heaptally {
namespace {

uint64_t Number(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(&die, name, &attribute) == nullptr) return 0;
  return dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

}  // namespace

UnitFunctions::UnitFunctions(Dwarf_Die unit, const ElfFile& file)
    : unit_(unit), file_(file) {
  Collect(unit_, /*everywhere=*/false);
  SealFunctions();
}

// Functions with code stand at the top of a unit or in namespaces; only some
// languages nest them in types or in one another, and reading all of that costs
// several times as much, so it is done only when an address was not found.
void UnitFunctions::Collect(Dwarf_Die parent, bool everywhere) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram:
        Add(child);
        if (everywhere) Collect(child, everywhere);
        break;
      case DW_TAG_namespace:
      case DW_TAG_module:
        Collect(child, everywhere);
        break;
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_enumeration_type:
      case DW_TAG_lexical_block:
        if (everywhere) Collect(child, everywhere);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

void UnitFunctions::Add(Dwarf_Die& die) {
  uint64_t first = 0;
  uint64_t size = 0;
  ForEachRange(die, [&](uint64_t begin, uint64_t end) {
    if (!file_.IsCode(begin)) return;
    if (size == 0) first = begin;
    size += end - begin;
  });
  if (size == 0) return;
  Dwarf_Addr entry = 0;
  if (dwarf_entrypc(&die, &entry) == 0) first = entry;
  functions_.push_back({die, first, size});
}

void UnitFunctions::SealFunctions() {
  std::vector<uint32_t> order(functions_.size());
  std::iota(order.begin(), order.end(), 0);
  // Where functions overlap, the smallest is the one that is meant.
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return functions_[a].size > functions_[b].size;
  });
  map_ = AddressMap();
  for (uint32_t i : order) {
    ForEachRange(functions_[i].die, [&](uint64_t begin, uint64_t end) {
      if (file_.IsCode(begin)) map_.Add(begin, end, i);
    });
  }
  map_.Seal();
}

void UnitFunctions::Find(uint64_t address,
                         std::vector<const Activation*>& active) {
  uint32_t function = map_.Find(address);
  if (function == AddressMap::kNone && !everywhere_) {
    everywhere_ = true;
    functions_.clear();
    inlines_.clear();
    starts_known_ = false;
    Collect(unit_, everywhere_);
    SealFunctions();
    function = map_.Find(address);
  }
  if (function == AddressMap::kNone) return;
  const Inlines& inlines = InlinesOf(function);
  uint32_t at = inlines.map.Find(address);
  if (at == AddressMap::kNone) at = 0;
  for (; at != Activation::kNone; at = inlines.activations[at].parent) {
    active.push_back(&inlines.activations[at]);
  }
}

const UnitFunctions::Inlines& UnitFunctions::InlinesOf(uint32_t function) {
  std::unique_ptr<Inlines>& inlines = inlines_[function];
  if (inlines == nullptr) {
    inlines = std::make_unique<Inlines>();
    const Dwarf_Die& die = functions_[function].die;
    inlines->activations.push_back({die, Activation::kNone, 0, 0});
    ReadInlines(die, 0, *inlines);
    inlines->map.Seal();
  }
  return *inlines;
}

void UnitFunctions::ReadInlines(Dwarf_Die parent, uint32_t around,
                                Inlines& inlines) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
        tag == DW_TAG_catch_block) {
      ReadInlines(child, around, inlines);
    } else if (tag == DW_TAG_inlined_subroutine) {
      auto index = static_cast<uint32_t>(inlines.activations.size());
      inlines.activations.push_back(
          {child, around, Number(child, DW_AT_call_file),
           static_cast<uint32_t>(Number(child, DW_AT_call_line))});
      ForEachRange(child, [&](uint64_t begin, uint64_t end) {
        inlines.map.Add(begin, end, index);
      });
      ReadInlines(child, index, inlines);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

uint64_t UnitFunctions::StartOf(const Dwarf_Die& declaration) {
  if (!std::exchange(starts_known_, true)) {
    for (const Function& function : functions_) {
      starts_.try_emplace(DeclarationOf(function.die).addr, function.begin);
    }
  }
  auto found = starts_.find(declaration.addr);
  return found == starts_.end() ? 0 : found->second;
}

}  // namespace heaptally
