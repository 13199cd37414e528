#include "integration/gtest/frame_names.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>

#include HEAPTALLY_BACKTRACE_HEADER

namespace heaptally::gtest {
namespace {

std::mutex lock;  // of all below

void Ignore(void*, const char*, int) {}

// Times that a module was loaded so far.
unsigned long long ModulesLoaded() {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

// libbacktrace looks at the list of modules once: a module that came later
// needs a new state. States cannot be freed.
backtrace_state* State() {
  static backtrace_state* state = nullptr;
  static unsigned long long made_at = 0;
  const unsigned long long now = ModulesLoaded();
  if (state == nullptr || made_at != now) {
    made_at = now;
    state = backtrace_create_state(nullptr, 0, Ignore, nullptr);
  }
  return state;
}

std::string Demangled(const std::string& symbol) {
  int status = 0;
  char* const name =
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  if (name == nullptr) return symbol;
  std::string result = name;
  free(name);
  return result;
}

bool IsMangled(const std::string& symbol) { return symbol.starts_with("_Z"); }

int AddFrame(void* data, uintptr_t, const char* file, int line,
             const char* function) {
  auto& names = *static_cast<std::vector<FrameName>*>(data);
  if (function == nullptr && file == nullptr) return 0;
  FrameName name;
  if (function != nullptr) name.symbol = function;
  if (file != nullptr) name.file = file;
  name.line = line;
  names.push_back(name);
  return 0;
}

void SetSymbol(void* data, uintptr_t, const char* symbol, uintptr_t,
               uintptr_t) {
  if (symbol != nullptr) *static_cast<std::string*>(data) = symbol;
}

std::string ModuleOf(void* pc) {
  Dl_info info;
  if (dladdr(pc, &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

std::vector<FrameName> Look(void* pc) {
  const uintptr_t call = reinterpret_cast<uintptr_t>(pc) - 1;
  std::vector<FrameName> names;
  std::string symbol;
  backtrace_state* const state = State();
  if (state != nullptr) {
    backtrace_pcinfo(state, call, AddFrame, Ignore, &names);
    backtrace_syminfo(state, call, SetSymbol, Ignore, &symbol);
  }
  if (names.empty()) names.emplace_back();
  // The debug information leaves out the scope of what is local to a file.
  std::string& outermost = names.back().symbol;
  if (outermost.empty() || (!IsMangled(outermost) && IsMangled(symbol))) {
    outermost = symbol;
  }
  const std::string module = ModuleOf(pc);
  for (FrameName& name : names) {
    name.module = module;
    name.function = Demangled(name.symbol);
    if (name.function.empty()) {
      char text[32];
      snprintf(text, sizeof(text), "%p", pc);
      name.function = text;
    }
  }
  return names;
}

}  // namespace

const std::vector<FrameName>& NamesOf(void* pc) {
  static auto* const known = new std::map<void*, std::vector<FrameName>>;
  const std::lock_guard<std::mutex> guard(lock);
  const auto found = known->find(pc);
  if (found != known->end()) return found->second;
  return known->emplace(pc, Look(pc)).first->second;
}

}  // namespace heaptally::gtest
