// Blocks that another allocator handed out reach free, realloc and
// malloc_usable_size: they are recognised, and nothing crashes.
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <malloc.h>
#include <sys/mman.h>

#include "tests/support/check.h"

namespace {

using Malloc = void* (*)(size_t);
using Memalign = void* (*)(size_t, size_t);

void* libc_handle;

template <typename Function>
Function FromLibc(const char* name) {
  auto* function = reinterpret_cast<Function>(dlsym(libc_handle, name));
  CHECK(function != nullptr);
  return function;
}

void BlocksOfTheCLibrary() {
  auto* libc_malloc = FromLibc<Malloc>("__libc_malloc");
  auto* libc_memalign = FromLibc<Memalign>("__libc_memalign");
  for (size_t size = 0; size < size_t{2} << 20; size = size * 2 + 5) {
    void* block = libc_malloc(size);
    Fill(block, size, 1);
    malloc_usable_size(block);
    free(block);
    block = libc_malloc(size + 1);
    Fill(block, size + 1, 2);
    block = realloc(block, size * 2 + 2);
    CHECK(block != nullptr);
    CHECK(IsFilled(block, size + 1, 2));
    CHECK_GE(malloc_usable_size(block), size * 2 + 2);
    free(block);
    block = libc_malloc(size + 100);
    Fill(block, 50, 3);
    block = realloc(block, 50);
    CHECK(IsFilled(block, 50, 3));
    free(block);
    CHECK(realloc(libc_malloc(size), KeepSize(0)) == nullptr);
    free(libc_memalign(256, size));
    operator delete(libc_malloc(size));
    operator delete(libc_malloc(size), size);
  }
}

// What glibc's free would abort on: here it is only counted.
void AddressesOfNoAllocator() {
  static char in_data[64];
  char on_stack[64];
  void* mapped = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* strangers[] = {in_data + 16, on_stack + 16, mapped,
                       static_cast<char*>(mapped) + 64,
                       static_cast<char*>(mapped) + 4096};
  for (void* stranger : strangers) {
    malloc_usable_size(Keep(stranger));
    free(Keep(stranger));
    operator delete(Keep(stranger), size_t{48});
  }
  static_cast<char*>(mapped)[5] = 1;
  CHECK_EQ(munmap(mapped, 1 << 20), 0);
}

}  // namespace

int main() {
  libc_handle = dlopen(LIBC_SO, RTLD_NOW | RTLD_NOLOAD);
  CHECK(libc_handle != nullptr);
  BlocksOfTheCLibrary();
  if (UnderHeaptally()) {
    AddressesOfNoAllocator();
  }
  for (size_t size = 1; size < 100000; size *= 2) {
    free(Keep(malloc(size)));
  }
  WriteText(1, "ok\n");
}
