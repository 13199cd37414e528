// aligned_alloc, memalign, posix_memalign, valloc and pvalloc: alignments that
// are right and wrong, sizes at the edges, errno and the result left alone.
#include <errno.h>
#include <malloc.h>

#include "tests/support/case.h"

namespace {

constexpr int kMark = 4711;

bool IsAligned(const void* block, size_t alignment) {
  return reinterpret_cast<uintptr_t>(block) % alignment == 0;
}

void* PosixMemalign(size_t alignment, size_t size) {
  void* block = nullptr;
  CHECK_EQ(posix_memalign(&block, alignment, size), 0);
  return block;
}

using Door = void* (*)(size_t, size_t);

void CheckEveryAlignment(Door door) {
  for (size_t alignment = 8; alignment <= size_t{8} << 20; alignment *= 2) {
    for (size_t size : {0, 1, 8, 24, 100, 4000, 4096, 14000, 100000}) {
      void* blocks[3];
      for (void*& block : blocks) {
        errno = kMark;
        block = door(alignment, KeepSize(size));
        CHECK_EQ(errno, kMark);
        CHECK(block != nullptr);
        CHECK(IsAligned(block, alignment));
        CHECK(IsAligned(block, 16));
        CHECK_GE(malloc_usable_size(block), size);
        memset(block, 0x5A, malloc_usable_size(block));
      }
      CHECK(blocks[0] != blocks[1] && blocks[1] != blocks[2]);
      for (void* block : blocks) {
        free(block);
      }
      CHECK_EQ(errno, kMark);
    }
  }
}

CASE(AlignedAlloc_GivesEveryAlignment) { CheckEveryAlignment(aligned_alloc); }
CASE(Memalign_GivesEveryAlignment) { CheckEveryAlignment(memalign); }
CASE(PosixMemalign_GivesEveryAlignment) { CheckEveryAlignment(PosixMemalign); }

CASE(Memalign_OfSizeZeroIsAlignedToo) {
  for (size_t alignment = 32; alignment <= 65536; alignment *= 2) {
    void* blocks[32];
    for (void*& block : blocks) {
      block = memalign(alignment, KeepSize(0));
      CHECK(block != nullptr);
      CHECK(IsAligned(block, alignment));
    }
    for (void* block : blocks) {
      free(block);
    }
  }
}

CASE(Memalign_RoundsAWrongAlignmentUp) {
  const size_t alignments[][2] = {{0, 16},   {1, 16},     {3, 16},
                                  {17, 32},  {48, 64},    {1000, 1024},
                                  {65, 128}, {5000, 8192}};
  for (const auto& [wrong, right] : alignments) {
    for (int i = 0; i < 20; ++i) {
      errno = kMark;
      void* block = memalign(KeepSize(wrong), 200);
      CHECK(block != nullptr);
      CHECK_EQ(errno, kMark);
      CHECK(IsAligned(block, right));
    }
  }
}

CASE(Memalign_RefusesAnAlignmentBeyondHalfTheAddressSpace) {
  for (size_t alignment : {SIZE_MAX / 2 + 2, SIZE_MAX, SIZE_MAX - 4096}) {
    errno = kMark;
    CHECK(memalign(KeepSize(alignment), 100) == nullptr);
    CHECK_EQ(errno, EINVAL);
  }
}

CASE(Memalign_TooLargeFailsWithEnomem) {
  for (size_t alignment : {8, 16, 64, 4096, 1 << 21}) {
    for (size_t size : {SIZE_MAX, SIZE_MAX - 4096, size_t{PTRDIFF_MAX} + 1,
                        size_t{PTRDIFF_MAX}}) {
      errno = kMark;
      CHECK(memalign(alignment, KeepSize(size)) == nullptr);
      CHECK_EQ(errno, ENOMEM);
      errno = kMark;
      CHECK(aligned_alloc(alignment, KeepSize(size)) == nullptr);
      CHECK_EQ(errno, ENOMEM);
    }
  }
  errno = kMark;
  CHECK(memalign(KeepSize(SIZE_MAX / 2 + 1), 1) == nullptr);
  CHECK_EQ(errno, ENOMEM);
}

// Until glibc 2.37 aligned_alloc rounded up as memalign does; since 2.38 it
// refuses with EINVAL. Both are right, a misaligned block is not.
CASE(AlignedAlloc_RoundsUpOrRefusesAWrongAlignment) {
  for (size_t wrong : {17, 48, 1000, 5000}) {
    errno = kMark;
    void* block = aligned_alloc(KeepSize(wrong), 200);
    if (block == nullptr) {
      CHECK_EQ(errno, EINVAL);
    } else {
      CHECK(IsAligned(block, wrong <= 32 ? 32 : 64));
      CHECK_EQ(errno, kMark);
    }
    free(block);
  }
}

CASE(AlignedAlloc_TakesASizeThatIsNoMultiple) {
  void* block = aligned_alloc(64, 100);
  CHECK(block != nullptr && IsAligned(block, 64));
  CHECK_GE(malloc_usable_size(block), 100);
  free(block);
}

CASE(PosixMemalign_RefusesAWrongAlignmentAndTouchesNothing) {
  for (size_t alignment : {0, 1, 2, 4, 7, 9, 12, 24, 48, 100, 4097}) {
    void* block = &block;
    errno = kMark;
    CHECK_EQ(posix_memalign(&block, KeepSize(alignment), 100), EINVAL);
    CHECK(block == &block);
    CHECK_EQ(errno, kMark);
  }
}

// glibc lets errno become ENOMEM, others leave it; the result is what counts.
CASE(PosixMemalign_TooLargeReturnsEnomemAndLeavesTheResult) {
  for (size_t alignment : {8, 16, 64, 4096, 1 << 21}) {
    for (size_t size : {SIZE_MAX, SIZE_MAX - 4096, size_t{PTRDIFF_MAX} + 1,
                        size_t{PTRDIFF_MAX}}) {
      void* block = &block;
      errno = kMark;
      CHECK_EQ(posix_memalign(&block, alignment, KeepSize(size)), ENOMEM);
      CHECK(block == &block);
      CHECK(errno == kMark || errno == ENOMEM);
    }
  }
}

CASE(PosixMemalign_OfSizeZeroGivesAFreeableBlock) {
  for (size_t alignment : {8, 16, 64, 4096}) {
    void* block = nullptr;
    CHECK_EQ(posix_memalign(&block, alignment, KeepSize(0)), 0);
    CHECK(block != nullptr && IsAligned(block, alignment));
    free(block);
  }
}

CASE(Valloc_GivesPages) {
  for (size_t size : {0, 1, 4096, 4097, 100000}) {
    errno = kMark;
    void* block = valloc(KeepSize(size));
    CHECK(block != nullptr && IsAligned(block, 4096));
    CHECK_GE(malloc_usable_size(block), size);
    CHECK_EQ(errno, kMark);
    free(block);
  }
  errno = kMark;
  CHECK(valloc(KeepSize(SIZE_MAX)) == nullptr);
  CHECK_EQ(errno, ENOMEM);
}

CASE(Pvalloc_GivesWholePages) {
  for (size_t size : {0, 1, 4095, 4096, 4097, 100000}) {
    errno = kMark;
    void* block = pvalloc(KeepSize(size));
    CHECK(block != nullptr && IsAligned(block, 4096));
    CHECK_GE(malloc_usable_size(block), (size + 4095) / 4096 * 4096);
    CHECK_EQ(errno, kMark);
    free(block);
  }
  for (size_t size : {SIZE_MAX, SIZE_MAX - 4000, SIZE_MAX - 4096}) {
    errno = kMark;
    CHECK(pvalloc(KeepSize(size)) == nullptr);
    CHECK_EQ(errno, ENOMEM);
  }
}

CASE(Realloc_OfEveryAlignedBlockWorks) {
  const Door doors[] = {aligned_alloc, memalign, PosixMemalign};
  for (Door door : doors) {
    void* block = door(4096, 100);
    Fill(block, 100, 1);
    block = realloc(block, 10000);
    CHECK(IsFilled(block, 100, 1));
    CHECK(realloc(block, KeepSize(0)) == nullptr);
  }
}

}  // namespace
