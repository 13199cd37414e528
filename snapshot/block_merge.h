// The one rule that matches the blocks of two snapshots of one process: a block
// survived if it is at the same address in both and was born no later than the
// older one, which is the baseline unless they were swapped. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_BLOCK_MERGE_H_
#define HEAPTALLY_SNAPSHOT_BLOCK_MERGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "snapshot/snapshot.h"

namespace heaptally {

// Calls, by ascending address, visitor.Free(i) for a block of the baseline,
// Add(j) for one of the comparison, Survive(i, j) for one of both, and
// Resize(i, j) if its size or traceback differs. `a_order` and `b_order` give
// the blocks that are looked at: `size` and the index of each.
template <typename AOrder, typename BOrder, typename Visitor>
void MergeBlocks(const Snapshot& baseline, const AOrder& a_order,
                 const Snapshot& comparison, const BOrder& b_order,
                 Visitor& visitor) {
  const Blocks& a = baseline.blocks;
  const Blocks& b = comparison.blocks;
  const uint32_t older = std::min(baseline.epoch(), comparison.epoch());
  size_t p = 0;
  size_t q = 0;
  while (p < a_order.size() && q < b_order.size()) {
    const size_t i = a_order[p];
    const size_t j = b_order[q];
    if (a.address[i] < b.address[j]) {
      visitor.Free(i);
      ++p;
      continue;
    }
    ++q;
    if (a.address[i] > b.address[j]) {
      visitor.Add(j);
      continue;
    }
    ++p;
    if (std::max(a.epoch[i], b.epoch[j]) > older) {
      visitor.Free(i);
      visitor.Add(j);
    } else if (a.traceback[i] == b.traceback[j] && a[i] == b[j]) {
      visitor.Survive(i, j);
    } else {
      visitor.Resize(i, j);
    }
  }
  for (; p < a_order.size(); ++p) visitor.Free(a_order[p]);
  for (; q < b_order.size(); ++q) visitor.Add(b_order[q]);
}

// All blocks, in their order.
class AllBlocks {
 public:
  explicit AllBlocks(const Snapshot& s) : size_(s.blocks.size()) {}
  size_t size() const { return size_; }
  size_t operator[](size_t i) const { return i; }

 private:
  size_t size_;
};

template <typename Visitor>
void MergeBlocks(const Snapshot& baseline, const Snapshot& comparison,
                 Visitor& visitor) {
  MergeBlocks(baseline, AllBlocks(baseline), comparison, AllBlocks(comparison),
              visitor);
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_BLOCK_MERGE_H_
