// malloc_usable_size: at least the request, writable to its last byte without
// damage to any neighbour, stable; and the alignment of every request.
#include <malloc.h>

#include "tests/support/case.h"

namespace {

constexpr size_t kLargest = 70000;

CASE(UsableSize_OfNullIsZero) {
  CHECK_EQ(malloc_usable_size(Keep(nullptr)), 0);
}

CASE(Malloc_AlignsEveryRequestTo16) {
  for (size_t size = 0; size <= kLargest; size += size < 2048 ? 1 : 37) {
    void* blocks[9];
    for (void*& block : blocks) {
      block = malloc(size);
      CHECK_EQ(reinterpret_cast<uintptr_t>(block) % 16, 0);
    }
    for (void* block : blocks) {
      free(block);
    }
  }
}

CASE(EveryDoor_AlignsSmallRequestsTo16) {
  for (size_t size = 0; size <= 40; ++size) {
    for (int round = 0; round < 50; ++round) {
      void* blocks[] = {calloc(1, size), realloc(nullptr, size),
                        reallocarray(nullptr, size, 1), memalign(8, size),
                        realloc(malloc(200), size + 1)};
      for (void* block : blocks) {
        CHECK_EQ(reinterpret_cast<uintptr_t>(block) % 16, 0);
      }
      for (void* block : blocks) {
        free(block);
      }
    }
  }
}

// Every block of a size is filled to its end while its neighbours live.
CASE(UsableSize_IsWritableToTheLastByte) {
  for (size_t size = 0; size <= kLargest; size += 1 + size / 16) {
    void* blocks[24];
    size_t usable[24];
    for (unsigned i = 0; i < 24; ++i) {
      blocks[i] = malloc(size);
      usable[i] = malloc_usable_size(blocks[i]);
      CHECK_GE(usable[i], size);
      Fill(blocks[i], usable[i], i);
    }
    for (unsigned i = 0; i < 24; ++i) {
      CHECK_EQ(malloc_usable_size(blocks[i]), usable[i]);
      CHECK(IsFilled(blocks[i], usable[i], i));
      free(blocks[i]);
    }
  }
}

CASE(UsableSize_OfLargeBlocksIsWritable) {
  for (size_t size = 1 << 17; size < size_t{100} << 20; size += size / 2 + 1) {
    void* block = malloc(size);
    size_t usable = malloc_usable_size(block);
    CHECK_GE(usable, size);
    memset(block, 0x77, usable);
    free(block);
  }
}

CASE(UsableSize_OfARecycledBlockFollowsTheNewRequest) {
  for (int round = 0; round < 200; ++round) {
    for (size_t size = 1; size < 20000; size += 1 + size / 4) {
      void* block = malloc(size);
      size_t usable = malloc_usable_size(block);
      CHECK_GE(usable, size);
      CHECK_LE(usable, size + size / 2 + 32);
      free(block);
    }
  }
}

}  // namespace
