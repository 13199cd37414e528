// The allocator as the doors use it: blocks from jemalloc, each with its side
// header and counted for its traceback. Thread-safe; in a signal handler that
// interrupted an operation it serves from nested.h.
//
// Sizes are checked by the doors only where their rules differ; null means out
// of memory. errno is left alone. Alignment of every block is at least 16.
#ifndef HEAPTALLY_ALLOCATOR_HEAP_H_
#define HEAPTALLY_ALLOCATOR_HEAP_H_

#include <cstddef>

#include "accounting/types.h"

namespace heaptally {

// Sizes beyond this fail: differences of pointers must fit (as in glibc).
inline constexpr size_t kMaxRequest = static_cast<size_t>(PTRDIFF_MAX);

class Heap {
 public:
  static void* Allocate(size_t size, const CallerContext& caller);
  static void* AllocateZeroed(size_t size, const CallerContext& caller);

  // `alignment` is a power of two.
  static void* AllocateAligned(size_t alignment, size_t size,
                               const CallerContext& caller);

  // `p` is not null. What is not a block of ours is counted as foreign and
  // otherwise ignored.
  static void Free(void* p);

  // `p` is not null, `size` not 0. In the books the old block ends and a new
  // one begins, also where it stays in place. On failure the old one stays.
  static void* Reallocate(void* p, size_t size, const CallerContext& caller);

  // 0 for what is not a block of ours.
  static size_t UsableSize(const void* p);
};

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_HEAP_H_
