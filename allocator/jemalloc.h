// The one place that knows jemalloc, which is linked in privately. Calls go
// through its fast entry points: malloc/free and sdallocx take the thread
// cache's short way, mallocx and dallocx do not. Thread-safe, not safe in a
// signal handler; errno may change.
#ifndef HEAPTALLY_ALLOCATOR_JEMALLOC_H_
#define HEAPTALLY_ALLOCATOR_JEMALLOC_H_

#include <cstddef>
#include <cstdint>

namespace heaptally::jemalloc {

// Brings jemalloc up; false when there is no memory for that. Until it is up
// only Free may be called: the fast entry points do not check.
bool Start();

// To be called before a thread's first allocation: jemalloc ignores it when it
// finds no memory for a thread's cache, and crashes at the next allocation.
enum class Room {
  kPlenty,  // of address space
  kScarce,  // enough, if nobody else takes it before jemalloc does
  kNone,
};
Room RoomForThread();

// Makes jemalloc set the calling thread up.
void StartThread();

void* Allocate(size_t size);
void* AllocateZeroed(size_t size);

// `alignment` is a power of two; `size` is not 0.
void* AllocateAligned(size_t alignment, size_t size);

void Free(void* p);

// `usable` is the block's usable size. Short for blocks that are not aligned
// to a page; for those sdallocx leaves its fast path.
void FreeSized(void* p, size_t usable);

size_t UsableSize(const void* p);

// What a request of `size` > 0 bytes would get. Slow: the hot path knows the
// classes itself (size_class.h), and a test compares.
size_t UsableFor(size_t size);

// Grows or shrinks a large block in place to the class of `size`; the usable
// size that it then has.
size_t ResizeInPlace(void* p, size_t size);

struct Statistics {
  uint64_t allocated = 0;  // bytes in blocks, those in thread caches included
  uint64_t active = 0;     // in pages that hold blocks
  uint64_t resident = 0;
  uint64_t mapped = 0;
};

// jemalloc's own books. Takes its locks: call it in a snapshot's child, which
// was made under a complete Quiesce, or in an ordinary thread outside of an
// operation. False if they cannot be had.
bool ReadStatistics(Statistics* statistics);

// Gives unused pages of all arenas back to the system. Inside an operation.
bool Purge();

// The fork handlers that jemalloc registered (null before its first block).
struct ForkHandlers {
  void (*prepare)();
  void (*parent)();
  void (*child)();
};
const ForkHandlers& GetForkHandlers();

// jemalloc gives up a thread's cache in a destructor of its own when the thread
// ends. `run(destructor, value)` is called in its place, to call it where a
// signal handler cannot find jemalloc half done.
using ThreadExit = void (*)(void* value);
void SetThreadExitRunner(void (*run)(ThreadExit destructor, void* value));

}  // namespace heaptally::jemalloc

#endif  // HEAPTALLY_ALLOCATOR_JEMALLOC_H_
