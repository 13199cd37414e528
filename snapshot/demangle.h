// From the name a linker knows to the name a programmer wrote. Pure functions,
// safe in any thread.
#ifndef HEAPTALLY_SNAPSHOT_DEMANGLE_H_
#define HEAPTALLY_SNAPSHOT_DEMANGLE_H_

#include <string>
#include <string_view>

namespace heaptally {

// The function behind an ELF symbol: C++ (Itanium), Rust (legacy and v0) and D
// names are demangled and kept whole, however long their template arguments; a
// symbol version (`@@GLIBC_2.34`) and the mark of a compiler's clone
// (`.constprop.0`, `.part.1`, `.cold`) are dropped, since a clone has the
// source of the function it was made from. Other names come back as they are.
std::string FunctionNameOfSymbol(std::string_view symbol);

// True for names that FunctionNameOfSymbol would demangle.
bool IsMangled(std::string_view symbol);

// `symbol` without its version and clone marks.
std::string_view WithoutCloneMark(std::string_view symbol);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_DEMANGLE_H_
