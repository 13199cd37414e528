// The blocks of a snapshot summed by traceback and size class. A pure function,
// linear in the blocks; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_SIZE_UNITS_H_
#define HEAPTALLY_SNAPSHOT_SIZE_UNITS_H_

#include <cstdint>
#include <vector>

#include "snapshot/measure.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct SizedBlocks {
  uint32_t traceback;
  uint64_t usable;  // Of each block.
  Measure blocks;
};

// By size, then traceback. Every block's traceback is below `tracebacks`.
std::vector<SizedBlocks> BlocksBySize(const Blocks& blocks,
                                      uint32_t tracebacks);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SIZE_UNITS_H_
