// The one rule that matches the blocks of two snapshots of one process: a block
// survived if it is at the same address in both and was born no later than the
// baseline. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_BLOCK_MERGE_H_
#define HEAPTALLY_SNAPSHOT_BLOCK_MERGE_H_

#include <cstddef>
#include <cstdint>

#include "snapshot/snapshot.h"

namespace heaptally {

// Calls, by ascending address, visitor.Free(i) for a block of the baseline,
// Add(j) for one of the comparison, Survive(i, j) for one of both, and
// Resize(i, j) if its size or traceback differs.
template <typename Visitor>
void MergeBlocks(const Snapshot& baseline, const Snapshot& comparison,
                 Visitor& visitor) {
  const Blocks& a = baseline.blocks;
  const Blocks& b = comparison.blocks;
  const uint32_t epoch = baseline.epoch();
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a.address[i] < b.address[j]) {
      visitor.Free(i++);
    } else if (a.address[i] > b.address[j]) {
      visitor.Add(j++);
    } else if (b.epoch[j] > epoch) {
      visitor.Free(i++);
      visitor.Add(j++);
    } else if (a.traceback[i] == b.traceback[j] && a[i] == b[j]) {
      visitor.Survive(i++, j++);
    } else {
      visitor.Resize(i++, j++);
    }
  }
  while (i < a.size()) visitor.Free(i++);
  while (j < b.size()) visitor.Add(j++);
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_BLOCK_MERGE_H_
