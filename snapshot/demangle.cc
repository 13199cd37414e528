#include "snapshot/demangle.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace heaptally {
namespace {

// libiberty refuses names above 1 KiB unless it is told that there is stack
// enough. Three times this bound was parsed inside 8 MiB whatever the name.
// Longer names stay mangled.
constexpr size_t kLongestName = 16384;
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

// What is behind the last dot, if there is something before it.
std::string_view LastPart(std::string_view symbol) {
  size_t dot = symbol.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  return symbol.substr(dot + 1);
}

std::string_view WithoutLastPart(std::string_view symbol) {
  return symbol.substr(0, symbol.size() - LastPart(symbol).size() - 1);
}

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsCloneWord(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kWords = {
      "constprop", "isra",     "part",  "cold",
      "llvm",      "lto_priv", "clone", "localalias",
  };
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

}  // namespace

bool IsMangled(std::string_view symbol) {
  return symbol.starts_with("_Z") || symbol.starts_with("_R") ||
         symbol.starts_with("_D");
}

std::string_view WithoutCloneMark(std::string_view symbol) {
  size_t version = symbol.find('@');
  if (version != std::string_view::npos && version > 0) {
    symbol = symbol.substr(0, version);
  }
  // Marks follow one another: "f.constprop.0.cold".
  for (;;) {
    std::string_view marked = symbol;
    if (IsNumber(LastPart(marked))) marked = WithoutLastPart(marked);
    if (!IsCloneWord(LastPart(marked))) return symbol;
    symbol = WithoutLastPart(marked);
  }
}

std::string FunctionNameOfSymbol(std::string_view symbol) {
  std::string plain(WithoutCloneMark(symbol));
  if (!IsMangled(plain) || plain.size() > kLongestName) return plain;
  CString name = Demangle(plain);
  return name == nullptr ? plain : std::string(name.get());
}

}  // namespace heaptally
