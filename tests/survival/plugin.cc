// A small object that is loaded and unloaded: it allocates in constructors,
// destructors and dynamic TLS, and throws.
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Registry {
  std::vector<std::string> names{50, std::string(80, 'p')};
  ~Registry() { names.assign(10, std::string(40, 'q')); }
};

Registry registry;
thread_local Registry thread_registry;
thread_local char large[20000];

}  // namespace

extern "C" char* PluginWork(int number) {
  thread_registry.names.emplace_back("work");
  large[number % sizeof large] = 1;
  registry.names.emplace_back(std::to_string(number));
  auto* block = new char[100];
  block[0] = char(number);
  return block;
}

// Without thread_local objects with destructors, which keep a library loaded.
extern "C" int PluginThrow(int depth) {
  if (depth == 0) {
    throw std::runtime_error(std::string(100, 'e'));
  }
  return PluginThrow(depth - 1) + 1;
}
