// Enumerates the live blocks from the page map, in ascending address order.
// Needs no lock; exact under a Quiesce or in a snapshot's child.
#ifndef HEAPTALLY_ALLOCATOR_BLOCK_WALK_H_
#define HEAPTALLY_ALLOCATOR_BLOCK_WALK_H_

#include <cstdint>

#include "accounting/types.h"

namespace heaptally {

struct LiveBlock {
  uintptr_t address;
  uint64_t requested;     // bytes
  uint64_t usable;        // bytes
  TracebackId traceback;  // kBeforeRecording is split from kSampledOut by epoch
  uint32_t epoch;         // of birth
};

using BlockVisitor = void (*)(void* context, const LiveBlock& block);

// Calls `visit` for every live block.
void ForEachBlock(BlockVisitor visit, void* context);

// The live block that begins at `p`; false if there is none.
bool FindBlock(const void* p, LiveBlock* block);

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_BLOCK_WALK_H_
