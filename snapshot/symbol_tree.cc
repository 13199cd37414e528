#include "snapshot/symbol_tree.h"

namespace heaptally {

uint32_t SymbolTree::Child(uint32_t parent, uint32_t frame) {
  const auto [entry, is_new] = children_.try_emplace({parent, frame}, next_);
  if (is_new) ++next_;
  return entry->second;
}

std::vector<uint32_t> SymbolTree::Add(const Snapshot& snapshot,
                                      const SnapshotFrames& frames) {
  // Parents come before their children, so one pass is enough.
  std::vector<uint32_t> of_node(snapshot.nodes.size(), format::kFirstId);
  for (uint32_t node = format::kFirstId; node < of_node.size(); ++node) {
    uint32_t number = of_node[snapshot.nodes.parent[node]];
    const absl::Span<const FrameRef> refs = frames.OfNode(node);
    for (size_t i = refs.size(); i > 0; --i) {
      number = Child(number, refs[i - 1].id);
    }
    of_node[node] = number;
  }
  std::vector<uint32_t> numbers(snapshot.tracebacks.size());
  for (uint32_t id = 0; id < numbers.size(); ++id) {
    const uint32_t node = snapshot.tracebacks.node[id];
    if (id < format::kFirstId) {
      numbers[id] = id;
    } else {
      numbers[id] = of_node.empty() ? format::kFirstId : of_node[node];
    }
  }
  return numbers;
}

}  // namespace heaptally
