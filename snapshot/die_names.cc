#include "snapshot/die_names.h"

#include <dwarf.h>

#include <algorithm>

#include "snapshot/demangle.h"

namespace heaptally {
namespace {

// Chains are two or three long; the bound stops a damaged file's loop.
constexpr int kLongestChain = 16;

bool Follow(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Die next;
  if (dwarf_attr(&die, name, &attribute) == nullptr) return false;
  if (dwarf_formref_die(&attribute, &next) == nullptr) return false;
  die = next;
  return true;
}

const char* LinkageName(Dwarf_Die& die) {
  for (unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) continue;
    if (const char* text = dwarf_formstring(&attribute)) return text;
  }
  return nullptr;
}

const char* PlainName(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_name, &attribute) == nullptr) {
    return nullptr;
  }
  return dwarf_formstring(&attribute);
}

// Guards against a symbol that belongs to other code folded onto the same
// address: `name`, demangled, must have the function's plain name in it.
bool Spells(std::string_view name, std::string_view plain) {
  return name.find(plain.substr(0, plain.find('<'))) != std::string_view::npos;
}

bool IsScope(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_subprogram:
      return true;
    default:
      return false;
  }
}

}  // namespace

Dwarf_Die DeclarationOf(Dwarf_Die die) {
  for (int i = 0; i < kLongestChain; ++i) {
    if (!Follow(die, DW_AT_abstract_origin) &&
        !Follow(die, DW_AT_specification)) {
      break;
    }
  }
  return die;
}

bool HasScopes(Dwarf_Die unit) {
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_Rust:
    case DW_LANG_D:
      return true;
    default:
      return false;
  }
}

std::string_view DieNames::FunctionName(Dwarf_Die die,
                                        const SymbolOf& symbol_of) {
  Dwarf_Die declaration = DeclarationOf(die);
  auto [it, added] = names_.try_emplace(declaration.addr);
  if (!added) return it->second;
  std::string name;
  const char* plain = PlainName(die);
  Dwarf_Die unit;
  if (const char* linkage = LinkageName(die); linkage != nullptr) {
    name = FunctionNameOfSymbol(linkage);
  } else if (dwarf_diecu(&declaration, &unit, nullptr, nullptr) == nullptr ||
             !HasScopes(unit)) {
    name = plain == nullptr ? "" : plain;
  } else {
    std::string_view symbol = symbol_of(declaration);
    if (IsMangled(symbol)) name = FunctionNameOfSymbol(symbol);
    bool fits = plain == nullptr || Spells(name, plain);
    if (plain != nullptr && (name.empty() || !fits)) {
      name = ScopedName(declaration);
    }
  }
  return names_[declaration.addr] = pool_.Keep(std::move(name));
}

const std::vector<Dwarf_Die>& DieNames::Children(Dwarf_Die die) {
  auto [it, added] = children_.try_emplace(die.addr);
  if (!added) return it->second;
  Dwarf_Die child;
  if (dwarf_child(&die, &child) == 0) {
    do {
      it->second.push_back(child);
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  return it->second;
}

std::string DieNames::ScopeName(Dwarf_Die die) {
  if (const char* name = PlainName(die)) return name;
  switch (dwarf_tag(&die)) {
    case DW_TAG_namespace:
      return "(anonymous namespace)";
    case DW_TAG_subprogram:
      return "(anonymous function)";
    default:
      break;
  }
  for (Dwarf_Die member : Children(die)) {
    const char* name = PlainName(member);
    bool is_call = name != nullptr && std::string_view(name) == "operator()";
    if (is_call) return "{lambda}";
  }
  return "(anonymous class)";
}

std::string DieNames::ScopedName(Dwarf_Die die) {
  Dwarf_Die scope;
  std::string name;
  if (dwarf_diecu(&die, &scope, nullptr, nullptr) == nullptr) return name;
  while (scope.addr != die.addr) {
    // Entries stand in preorder: the last one not behind `die` is around it.
    const std::vector<Dwarf_Die>& level = Children(scope);
    auto behind = std::upper_bound(
        level.begin(), level.end(), die.addr,
        [](const void* at, const Dwarf_Die& entry) { return at < entry.addr; });
    if (behind == level.begin()) break;
    scope = *std::prev(behind);
    if (scope.addr == die.addr) break;
    if (IsScope(dwarf_tag(&scope))) name += ScopeName(scope) + "::";
  }
  return name + ScopeName(die);
}

}  // namespace heaptally
