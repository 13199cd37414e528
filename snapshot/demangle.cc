#include "snapshot/demangle.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace heaptally {
namespace {

// libiberty refuses names above 1 KiB unless it is told that there is stack
// enough: it needs about 1 KiB of stack a character in the worst case, so this
// bound keeps it inside the usual 8 MiB. Longer names stay mangled.
constexpr size_t kLongestName = 6000;
constexpr int kOptions =
    DMGL_PARAMS | DMGL_ANSI | DMGL_TYPES | DMGL_NO_RECURSE_LIMIT;

using CString = std::unique_ptr<char, decltype(&std::free)>;

CString Demangle(const std::string& symbol) {
  // The older Rust names are valid C++ names too, so Rust is asked first.
  char* name = rust_demangle(symbol.c_str(), kOptions);
  if (name == nullptr) name = cplus_demangle_v3(symbol.c_str(), kOptions);
  if (name == nullptr) name = dlang_demangle(symbol.c_str(), kOptions);
  return CString(name, &std::free);
}

}  // namespace

bool IsMangled(std::string_view symbol) {
  return symbol.starts_with("_Z") || symbol.starts_with("_R") ||
         symbol.starts_with("_D");
}

std::string_view WithoutCloneMark(std::string_view symbol) {
  static constexpr std::array<std::string_view, 9> kMarks = {
      "@",     ".constprop.", ".isra.", ".part.",      ".cold",
      ".llvm", ".lto_priv.",  ".clone", ".localalias",
  };
  size_t end = symbol.size();
  for (std::string_view mark : kMarks) {
    size_t at = symbol.find(mark);
    if (at != std::string_view::npos && at > 0) end = std::min(end, at);
  }
  return symbol.substr(0, end);
}

std::string FunctionNameOfSymbol(std::string_view symbol) {
  std::string plain(WithoutCloneMark(symbol));
  if (!IsMangled(plain) || plain.size() > kLongestName) return plain;
  CString name = Demangle(plain);
  return name == nullptr ? plain : std::string(name.get());
}

}  // namespace heaptally
