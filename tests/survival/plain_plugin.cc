// A small object without thread_local destructors: it really goes away at
// dlclose, and another one takes its addresses.
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

thread_local char dynamic_tls[30000];

void* from_constructor = nullptr;

__attribute__((constructor)) void Load() { from_constructor = malloc(300); }
__attribute__((destructor)) void Unload() { free(from_constructor); }

__attribute__((noinline)) int Throw(int depth) {
  if (depth == 0) {
    throw std::runtime_error(std::string(60, 'e'));
  }
  return Throw(depth - 1) + 1;
}

}  // namespace

extern "C" void* PlainWork(int number) {
  dynamic_tls[size_t(number) % sizeof dynamic_tls] = 1;
  int caught = 0;
  try {
    caught = Throw(number % 10 + 1);
  } catch (const std::runtime_error&) {
    ++caught;
  }
  return caught == 1 ? malloc(size_t(number % 1000)) : nullptr;
}
