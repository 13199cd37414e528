// Gives tracebacks of several snapshots that read the same (function, file,
// line and module of every frame) one number, in time linear in their nodes:
// a calling-context tree of frames instead of addresses. Not thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_SYMBOL_TREE_H_
#define HEAPTALLY_SNAPSHOT_SYMBOL_TREE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "snapshot/names.h"
#include "snapshot/snapshot.h"

namespace heaptally {

class SymbolTree {
 public:
  // The number of each traceback, by id; reasons keep their ids. `frames` are
  // those of `snapshot`, in a table that all calls share.
  std::vector<uint32_t> Add(const Snapshot& snapshot,
                            const SnapshotFrames& frames);
  // One more than the largest number.
  uint32_t size() const { return next_; }

 private:
  uint32_t Child(uint32_t parent, uint32_t frame);

  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> children_;
  uint32_t next_ = format::kFirstId + 1;  // Number 16 is the empty stack.
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SYMBOL_TREE_H_
