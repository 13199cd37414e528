// Allocation where the allocator cannot be entered: in a signal handler that
// interrupted an operation of the same thread, and in calls of the C library
// made from inside ours. Such blocks come straight from the kernel, each with a
// mapping of its own, and carry the reason kInSignalHandler. Signal-safe,
// lock-free, no errno.
#ifndef HEAPTALLY_ALLOCATOR_NESTED_H_
#define HEAPTALLY_ALLOCATOR_NESTED_H_

#include <cstddef>
#include <cstdint>

#include "allocator/page_map.h"

namespace heaptally {

// A zeroed block. Null when the kernel refuses.
void* NestedAllocate(size_t alignment, size_t size);

// Takes any block of ours out of the books at once. A block of jemalloc's is
// given back to it by the thread's next operation.
void NestedFree(void* p);

// Gives a mapping of NestedAllocate back; its books are settled.
void UnmapNested(void* p, LargeHeader* header);

// How many blocks were served here.
uint64_t NestedAllocations();

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_NESTED_H_
