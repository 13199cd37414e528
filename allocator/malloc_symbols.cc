// The malloc family with glibc's rules: argument checks and errno, then one
// call. Thread-safe; in signal handlers as heap.h says.
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "allocator/caller.h"
#include "allocator/heap.h"
#include "allocator/heap_fast.h"

using heaptally::CallerOfThisDoor;
using heaptally::Heap;
using heaptally::kPageSize;

namespace {

void* OrNoMemory(void* block) {
  if (block == nullptr) [[unlikely]]
    errno = ENOMEM;
  return block;
}

bool IsPowerOfTwo(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

// glibc rounds an odd alignment of memalign up to the next power of two.
size_t RoundAlignment(size_t alignment) {
  size_t power = 8;
  while (power < alignment) power <<= 1;
  return power;
}

// Reached by a jump, so that its caller is malloc's.
HEAPTALLY_SLOW_DOOR void* AllocateSlowly(size_t size) {
  const heaptally::CallerContext caller = CallerOfThisDoor();
  void* const block = heaptally::TryAllocateRecording(size, caller);
  if (block != nullptr) [[likely]]
    return block;
  return OrNoMemory(Heap::Allocate(size, caller));
}

}  // namespace

HEAPTALLY_DOOR void* malloc(size_t size) {
  void* const block = heaptally::TryAllocate(size);
  if (block != nullptr) [[likely]]
    return block;
  return AllocateSlowly(size);
}

// Null is nobody's page, which takes it off the fast path.
HEAPTALLY_DOOR void free(void* p) {
  if (heaptally::TryFree(p)) [[likely]]
    return;
  if (p != nullptr) Heap::Free(p);
}

HEAPTALLY_DOOR void cfree(void* p) {
  if (p != nullptr) Heap::Free(p);
}

HEAPTALLY_DOOR void free_sized(void* p, size_t) {
  if (p != nullptr) Heap::Free(p);
}

HEAPTALLY_DOOR void free_aligned_sized(void* p, size_t, size_t) {
  if (p != nullptr) Heap::Free(p);
}

HEAPTALLY_DOOR void* calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  return OrNoMemory(Heap::AllocateZeroed(bytes, CallerOfThisDoor()));
}

HEAPTALLY_DOOR void* realloc(void* p, size_t size) {
  if (p == nullptr) {
    return OrNoMemory(Heap::Allocate(size, CallerOfThisDoor()));
  }
  if (size == 0) {
    Heap::Free(p);
    return nullptr;
  }
  return OrNoMemory(Heap::Reallocate(p, size, CallerOfThisDoor()));
}

HEAPTALLY_DOOR void* reallocarray(void* p, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return OrNoMemory(nullptr);
  if (p == nullptr) {
    return OrNoMemory(Heap::Allocate(bytes, CallerOfThisDoor()));
  }
  if (bytes == 0) {
    Heap::Free(p);
    return nullptr;
  }
  return OrNoMemory(Heap::Reallocate(p, bytes, CallerOfThisDoor()));
}

HEAPTALLY_DOOR void* memalign(size_t alignment, size_t size) {
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return nullptr;
  }
  return OrNoMemory(Heap::AllocateAligned(RoundAlignment(alignment), size,
                                          CallerOfThisDoor()));
}

// As in glibc 2.36, an alignment that is no power of two is not an error.
HEAPTALLY_DOOR void* aligned_alloc(size_t alignment, size_t size) {
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return nullptr;
  }
  return OrNoMemory(Heap::AllocateAligned(RoundAlignment(alignment), size,
                                          CallerOfThisDoor()));
}

HEAPTALLY_DOOR int posix_memalign(void** result, size_t alignment,
                                  size_t size) {
  if (!IsPowerOfTwo(alignment) || alignment % sizeof(void*) != 0) {
    return EINVAL;
  }
  void* const block =
      Heap::AllocateAligned(alignment, size, CallerOfThisDoor());
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

HEAPTALLY_DOOR void* valloc(size_t size) {
  return OrNoMemory(Heap::AllocateAligned(kPageSize, size, CallerOfThisDoor()));
}

HEAPTALLY_DOOR void* pvalloc(size_t size) {
  size_t rounded;
  if (__builtin_add_overflow(size, kPageSize - 1, &rounded)) {
    return OrNoMemory(nullptr);
  }
  return OrNoMemory(Heap::AllocateAligned(kPageSize, rounded & ~(kPageSize - 1),
                                          CallerOfThisDoor()));
}

HEAPTALLY_DOOR size_t malloc_usable_size(void* p) {
  return p == nullptr ? 0 : Heap::UsableSize(p);
}
