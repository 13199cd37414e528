// A thread as the allocator sees it: its counters and stack cache (ThreadState)
// and, for each bin, a few free blocks with the places of their side headers.
//
// This block cache stands in front of jemalloc's own: a hit needs neither
// jemalloc nor the page map, which more than pays for the books. Blocks in it
// count as allocated in jemalloc's statistics and as free in ours.
// docs/decisions/block-cache.md has the figures.
#ifndef HEAPTALLY_ALLOCATOR_HEAP_THREAD_H_
#define HEAPTALLY_ALLOCATOR_HEAP_THREAD_H_

#include <cstdint>

#include "accounting/thread_state.h"
#include "allocator/size_class.h"

namespace heaptally {

struct CachedBlock {
  void* block;
  uint64_t* header;  // zero while cached
};

// A stack of cached blocks: [base, top) are taken, [top, end) is room.
struct alignas(64) Bin {
  CachedBlock* top;
  CachedBlock* base;
  CachedBlock* end;
  uint32_t slop_base;  // SideHeader::SlopBase
  uint32_t usable;
  uint32_t block_size;  // what jemalloc is asked for
  uint32_t fill;        // blocks to fetch when empty; grows with demand
  uint32_t capacity;
  uint32_t reciprocal;  // of the block size, see BinReciprocal
};

static_assert(sizeof(Bin) == 64);

// Most blocks that a bin keeps, so that a bin holds at most 16 KiB or 2 blocks.
constexpr uint32_t BinCapacity(uint32_t bin) {
  const uint32_t by_bytes = 16384 / kBlockSizes[bin];
  return by_bytes > 64 ? 64 : by_bytes < 2 ? 2 : by_bytes;
}

constexpr uint32_t TotalCapacity() {
  uint32_t total = 0;
  for (uint32_t bin = kTinyBin; bin < kBinEnd; ++bin) total += BinCapacity(bin);
  return total;
}

struct HeapThread : ThreadState {
  Bin bins[kBinCount] = {};  // the last is of large blocks and always empty
  CachedBlock cached[TotalCapacity()] = {};

  static HeapThread* Current() {
    return static_cast<HeapThread*>(current_thread);
  }

  // The calling thread's state, made or adopted; null when memory is refused.
  // current_thread is set on return.
  static HeapThread* Register();

  // The state that serves a thread which could get none, under a lock, and on
  // which blocks count that come before any thread has one.
  static HeapThread* Spare();

  // Sees to it that the state is retired when the thread ends. Inside an
  // operation.
  void HookExit();

  // Gives all cached blocks back to jemalloc.
  void FlushCache();
};

// Fetches blocks into an empty bin; false when jemalloc has none left.
bool FillBin(Bin* bin, uint32_t index);

// Makes room in a full bin by giving its older half back.
void DrainBin(Bin* bin);

// Blocks in all caches. Exact under a Quiesce.
uint64_t CountCachedBlocks();

// Makes the key whose destructor retires threads. Once.
void InitThreads();

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_HEAP_THREAD_H_
