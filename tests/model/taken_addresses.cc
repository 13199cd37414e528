// A program at fixed addresses whose code holds the addresses of the
// operators: the linker then gives each of them an address inside the program,
// which all libraries of the process use as the operator's own.
#include <new>

#include "tests/support/check.h"

namespace {

using New = void* (*)(size_t);
using Delete = void (*)(void*);

template <typename Function>
Function Address(Function function) {
  return reinterpret_cast<Function>(
      Keep(reinterpret_cast<const void*>(function)));
}

__attribute__((constructor)) void CallByAddress() {
  void* plain = Address(New{&operator new})(100);
  void* array = Address(New{&operator new[]})(100);
  Address(Delete{&operator delete})(plain);
  Address(Delete{&operator delete[]})(array);
}

}  // namespace
