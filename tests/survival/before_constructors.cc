// Blocks from before any constructor: in an ifunc resolver, in preinit_array,
// in the earliest constructor; they live on and are freed late.
#include <malloc.h>

#include <string>

#include "tests/support/check.h"

namespace {

constexpr int kBlocks = 40;

struct Early {
  void* blocks[kBlocks];

  void Allocate() {
    for (int i = 0; i < kBlocks; ++i) {
      blocks[i] = i % 2 == 0 ? malloc(i * 100 + 1) : calloc(i * 100 + 1, 1);
      Fill(blocks[i], i * 100 + 1, i);
    }
  }
  void Release() {
    for (int i = 0; i < kBlocks; ++i) {
      CHECK(blocks[i] != nullptr);
      CHECK(IsFilled(blocks[i], i * 100 + 1, i));
      CHECK_GE(malloc_usable_size(blocks[i]), i * 100 + 1);
      blocks[i] = realloc(blocks[i], 5000);
      CHECK(IsFilled(blocks[i], i * 100 + 1, i));
      free(blocks[i]);
    }
  }
};

Early in_preinit;
Early in_constructor;

void Preinit(int, char**, char**) { in_preinit.Allocate(); }

__attribute__((section(".preinit_array"),
               used)) void (*preinit_entry)(int, char**, char**) = Preinit;

__attribute__((constructor(101))) void FirstConstructor() {
  in_constructor.Allocate();
}

std::string* global = new std::string(1000, 'x');

}  // namespace

int main() {
  in_preinit.Release();
  in_constructor.Release();
  CHECK_EQ(global->size(), 1000);
  delete global;
  WriteText(1, "ok\n");
}
