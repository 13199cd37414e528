// Blocks that are not ours but reach our doors: handed out by another allocator
// (RTLD_DEEPBIND, __libc_malloc), by the loader before we were there, or freed
// twice. They are counted, never given to jemalloc. Signal-safe.
#ifndef HEAPTALLY_ALLOCATOR_FOREIGN_H_
#define HEAPTALLY_ALLOCATOR_FOREIGN_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

void CountForeignFree();
uint64_t ForeignFrees();

void CountForeignReallocation();
uint64_t ForeignReallocations();

// Copies what can be read of the foreign block at `from`, at most `size` bytes,
// to `to`. Its size is not known: the copy may include bytes behind the block.
void CopyForeign(void* to, const void* from, size_t size);

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_FOREIGN_H_
