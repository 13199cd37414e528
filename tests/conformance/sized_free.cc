// free_sized and free_aligned_sized of C23. The C library may lack them;
// heaptally has them.
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>

#include "tests/support/case.h"

namespace {

constexpr int kMark = 4711;

using FreeSized = void (*)(void*, size_t);
using FreeAlignedSized = void (*)(void*, size_t, size_t);

template <typename Function>
Function Find(const char* name) {
  auto* function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) {
    CHECK(!UnderHeaptally());
  }
  return function;
}

CASE(FreeSized_FreesEverySize) {
  auto* free_sized = Find<FreeSized>("free_sized");
  if (free_sized == nullptr) return;
  free_sized(nullptr, 10);
  for (size_t size = 0; size < 70000; size += 1 + size / 50) {
    for (int i = 0; i < 5; ++i) {
      void* block = Keep(malloc(size));
      memset(block, 1, size);
      errno = kMark;
      free_sized(block, size);
      CHECK_EQ(errno, kMark);
    }
    free_sized(calloc(size, 1), size);
    free_sized(realloc(malloc(10), size + 1), size + 1);
  }
  free_sized(Keep(malloc(9 << 20)), 9 << 20);
}

CASE(FreeAlignedSized_FreesEveryAlignment) {
  auto* free_aligned_sized = Find<FreeAlignedSized>("free_aligned_sized");
  if (free_aligned_sized == nullptr) return;
  free_aligned_sized(nullptr, 64, 10);
  for (size_t alignment = 8; alignment <= 1 << 22; alignment *= 2) {
    for (size_t size : {0, 1, 100, 4096, 14000, 100000}) {
      void* block = Keep(aligned_alloc(alignment, size));
      memset(block, 1, size);
      errno = kMark;
      free_aligned_sized(block, alignment, size);
      CHECK_EQ(errno, kMark);
    }
  }
}

// Whether freed blocks come back is seen by their number: leaking 40 GB fails.
CASE(FreeSized_GivesTheMemoryBack) {
  auto* free_sized = Find<FreeSized>("free_sized");
  if (free_sized == nullptr) return;
  for (int i = 0; i < 40000; ++i) {
    void* block = Keep(malloc(1 << 20));
    CHECK(block != nullptr);
    free_sized(block, 1 << 20);
  }
  CHECK_LE(mallinfo2().uordblks, size_t{100} << 20);
}

}  // namespace
