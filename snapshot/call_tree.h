// The call tree of a census: what was allocated in a function and below it
// (outermost call at the top), or inverted, by whom an allocation site was
// called. Frames that agree in function, file, line and module are one; the
// sums are those of a RowTable. Pure; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_CALL_TREE_H_
#define HEAPTALLY_SNAPSHOT_CALL_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "snapshot/census.h"
#include "snapshot/measure.h"
#include "snapshot/names.h"

namespace heaptally {

struct CallTreeNode {
  uint32_t frame = 0;  // Id in the census' table, unless without a stack.
  bool without_stack = false;  // Only at the top.
  uint32_t reason = 0;         // Why, if so.
  uint32_t depth = 0;
  uint32_t children = 0;      // That are in the tree.
  Measure total;              // Of all stacks through here.
  Measure self;               // Of the stacks that end here.
  uint32_t cut_children = 0;  // That are too small for the tree.
  Measure cut;                // Their total.
};

struct CallTreeOptions {
  bool inverted = false;
  bool fold_library = false;  // Without the frames of the C++ library.
  // Branches with a smaller share of the whole usable bytes are cut.
  double min_share = 0;
  size_t most_nodes = 0;  // The smallest are cut; 0: no bound.
};

struct CallTree {
  std::vector<CallTreeNode> nodes;  // A node, then its children by size.
  Measure total;
  uint32_t cut_children = 0;  // At the top.
  Measure cut;
  uint64_t cut_nodes = 0;  // Wherever in the tree.
};

// The tree of the tracebacks that passed the census' filter, with the values
// that the census shows (current, or at the peak).
CallTree BuildCallTree(const Census& census, const CallTreeOptions& options);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CALL_TREE_H_
