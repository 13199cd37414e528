// What malloc, calloc, realloc, reallocarray and free do at their edges, as
// glibc does it.
#include <errno.h>
#include <malloc.h>

#include "tests/support/case.h"

namespace {

constexpr size_t kTooLarge = size_t{PTRDIFF_MAX} + 1;
constexpr int kMark = 4711;

CASE(Malloc_OfSizeZeroGivesDistinctBlocks) {
  void* first = malloc(KeepSize(0));
  void* second = malloc(KeepSize(0));
  CHECK(first != nullptr && second != nullptr);
  CHECK(first != second);
  free(first);
  free(second);
}

CASE(Malloc_BeyondPtrdiffMaxFailsWithEnomem) {
  for (size_t size : {kTooLarge, SIZE_MAX, SIZE_MAX - 4096, kTooLarge + 12345,
                      size_t{PTRDIFF_MAX}, size_t{PTRDIFF_MAX} - 4096}) {
    errno = kMark;
    CHECK(malloc(KeepSize(size)) == nullptr);
    CHECK_EQ(errno, ENOMEM);
  }
}

CASE(Malloc_KeepsErrnoOnSuccess) {
  for (size_t size : {0, 1, 100, 5000, 100000, 40 << 20}) {
    errno = kMark;
    void* block = Keep(malloc(size));
    CHECK(block != nullptr);
    CHECK_EQ(errno, kMark);
    free(block);
    CHECK_EQ(errno, kMark);
  }
}

CASE(Calloc_OverflowFailsWithEnomem) {
  const size_t half = size_t{1} << 32;
  const size_t factors[][2] = {
      {half, half},     {SIZE_MAX, 2},  {2, SIZE_MAX}, {SIZE_MAX, SIZE_MAX},
      {half + 1, half}, {kTooLarge, 1}, {1, SIZE_MAX}};
  for (const auto& [count, size] : factors) {
    errno = kMark;
    CHECK(calloc(KeepSize(count), KeepSize(size)) == nullptr);
    CHECK_EQ(errno, ENOMEM);
  }
}

CASE(Calloc_OfNothingGivesABlock) {
  const size_t factors[][2] = {{0, 0}, {0, 8}, {8, 0}, {0, SIZE_MAX}};
  for (const auto& [count, size] : factors) {
    errno = kMark;
    void* block = calloc(KeepSize(count), KeepSize(size));
    CHECK(block != nullptr);
    CHECK_EQ(errno, kMark);
    free(block);
  }
}

CASE(Calloc_ZeroesWhatDirtyBlocksLeft) {
  for (size_t size = 1; size < 300000; size += 1 + size / 3) {
    void* dirty[16];
    for (void*& block : dirty) {
      block = malloc(size);
      memset(block, 0xA5, malloc_usable_size(block));
    }
    for (void* block : dirty) {
      free(block);
    }
    for (int i = 0; i < 16; ++i) {
      auto* bytes = static_cast<unsigned char*>(calloc(1, size));
      for (size_t at = 0; at < size; ++at) {
        CHECK_EQ(bytes[at], 0);
      }
      dirty[i] = bytes;
    }
    for (void* block : dirty) {
      free(block);
    }
  }
}

CASE(Calloc_ZeroesLargeBlocksAgain) {
  for (size_t size : {size_t{1} << 20, size_t{9} << 20, size_t{33} << 20}) {
    for (int round = 0; round < 3; ++round) {
      auto* bytes = static_cast<unsigned char*>(calloc(size, 1));
      for (size_t at = 0; at < size; at += 61) {
        CHECK_EQ(bytes[at], 0);
      }
      memset(bytes, 0xFF, size);
      free(bytes);
    }
  }
}

CASE(Realloc_OfNullAllocates) {
  void* block = realloc(Keep(nullptr), 100);
  CHECK(block != nullptr);
  CHECK_GE(malloc_usable_size(block), 100);
  free(block);
  block = realloc(Keep(nullptr), KeepSize(0));
  CHECK(block != nullptr);
  free(block);
}

CASE(Realloc_ToSizeZeroFreesAndReturnsNull) {
  for (size_t size : {0, 1, 100, 5000, 100000, 5 << 20}) {
    void* block = malloc(size);
    errno = kMark;
    CHECK(realloc(block, KeepSize(0)) == nullptr);
    CHECK_EQ(errno, kMark);
  }
}

CASE(Realloc_FailingKeepsTheBlock) {
  for (size_t size : {1, 100, 5000, 100000, 5 << 20}) {
    void* block = malloc(size);
    Fill(block, size, 3);
    for (size_t huge : {kTooLarge, SIZE_MAX, size_t{PTRDIFF_MAX}}) {
      errno = kMark;
      CHECK(realloc(block, KeepSize(huge)) == nullptr);
      CHECK_EQ(errno, ENOMEM);
    }
    CHECK(IsFilled(block, size, 3));
    CHECK_GE(malloc_usable_size(block), size);
    free(block);
  }
}

CASE(Realloc_KeepsContentsAndErrno) {
  constexpr size_t kSizes[] = {1,    8,     9,     16,     100,     4095,
                               4096, 14336, 14337, 100000, 1 << 21, 9 << 20};
  for (size_t from : kSizes) {
    for (size_t to : kSizes) {
      void* block = malloc(from);
      Fill(block, from, 9);
      errno = kMark;
      block = realloc(block, to);
      CHECK_EQ(errno, kMark);
      CHECK(block != nullptr);
      CHECK(IsFilled(block, from < to ? from : to, 9));
      CHECK_GE(malloc_usable_size(block), to);
      memset(block, 1, malloc_usable_size(block));
      free(block);
    }
  }
}

CASE(Realloc_OfAnOveralignedBlockKeepsContents) {
  for (size_t alignment = 16; alignment <= size_t{4} << 20; alignment *= 4) {
    for (size_t size : {1, 100, 5000, 70000}) {
      void* block = memalign(alignment, size);
      Fill(block, size, 5);
      block = realloc(block, size * 3);
      CHECK(IsFilled(block, size, 5));
      block = realloc(block, size / 2 + 1);
      CHECK(IsFilled(block, size / 2 + 1, 5));
      free(block);
    }
  }
}

CASE(Reallocarray_FollowsReallocAndChecksTheProduct) {
  void* block = reallocarray(nullptr, 10, 10);
  CHECK_GE(malloc_usable_size(block), 100);
  Fill(block, 100, 7);
  block = reallocarray(block, 100, 100);
  CHECK(IsFilled(block, 100, 7));
  errno = kMark;
  CHECK(reallocarray(block, KeepSize(SIZE_MAX), 2) == nullptr);
  CHECK_EQ(errno, ENOMEM);
  errno = kMark;
  CHECK(reallocarray(block, KeepSize(size_t{1} << 32), size_t{1} << 32) ==
        nullptr);
  CHECK_EQ(errno, ENOMEM);
  CHECK(IsFilled(block, 100, 7));
  errno = kMark;
  CHECK(reallocarray(block, KeepSize(0), 8) == nullptr);
  CHECK_EQ(errno, kMark);
}

CASE(Free_LeavesErrnoAndTakesNull) {
  errno = kMark;
  free(Keep(nullptr));
  CHECK_EQ(errno, kMark);
  for (size_t size = 1; size < size_t{64} << 20; size *= 3) {
    void* block = Keep(malloc(size));
    memset(block, 1, size);
    errno = kMark;
    free(block);
    CHECK_EQ(errno, kMark);
  }
}

CASE(Free_OfManyLargeBlocksLeavesErrno) {
  void* blocks[64];
  for (int round = 0; round < 4; ++round) {
    for (void*& block : blocks) {
      block = malloc(size_t{3} << 20);
      memset(block, round, 4096);
    }
    errno = kMark;
    for (void* block : blocks) {
      free(block);
    }
    CHECK_EQ(errno, kMark);
  }
}

}  // namespace
