// Allocates and frees one block of 64 bytes again and again through one pair
// of doors: what check_budgets.py counts the instructions of.
//
//   pairs malloc|calloc|new N
#include "tests/support/check.h"

namespace {

using Loop = void (*)(long);

void MallocPairs(long n) {
  for (long i = 0; i < n; ++i) {
    free(Keep(malloc(64)));
  }
}

void CallocPairs(long n) {
  for (long i = 0; i < n; ++i) {
    free(Keep(calloc(4, 16)));
  }
}

void NewPairs(long n) {
  for (long i = 0; i < n; ++i) {
    operator delete(Keep(operator new(64)));
  }
}

}  // namespace

// Counting begins and ends with this function, found by its name.
extern "C" __attribute__((noinline)) void Counted(Loop loop, long n) {
  loop(n);
  __asm__ volatile("" : : : "memory");
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 3);
  const Loop loop = strcmp(argv[1], "malloc") == 0   ? MallocPairs
                    : strcmp(argv[1], "calloc") == 0 ? CallocPairs
                                                     : NewPairs;
  const long n = atol(argv[2]);
  loop(n);  // What happens once is not counted.
  Counted(loop, n);
}
