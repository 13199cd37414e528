#include "snapshot/call_tree.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "snapshot/library_frames.h"

namespace heaptally {
namespace {

constexpr uint32_t kReasonBit = uint32_t{1} << 31;

// One traceback: its keys (frame ids, or a reason with kReasonBit) in the
// order of the tree.
struct Item {
  uint32_t begin;
  uint32_t size;
  Measure value;
};

// Items [begin, end) that share their first `depth` keys.
struct Branch {
  uint32_t key;
  uint32_t begin;
  uint32_t end;
  uint32_t depth;
  Measure total;
};

class Builder {
 public:
  Builder(const Snapshot& snapshot, const Census& census,
          const CallTreeOptions& options)
      : options_(options) {
    std::vector<FrameRef> frames;
    for (const uint32_t id : census.tracebacks) {
      const Measure value = census.options.peak
                                ? snapshot.tracebacks.at_peak[id]
                                : snapshot.tracebacks.current[id];
      if (value == Measure()) continue;
      frames.clear();
      census.frames->AppendTraceback(id, frames);
      AddItem(*census.table, id, frames, value);
      tree_.total += value;
    }
    least_ = options.min_share * static_cast<double>(tree_.total.usable);
  }

  CallTree Build() {
    std::vector<Branch> stack =
        Split(0, static_cast<uint32_t>(items_.size()), 0);
    stack = Prune(stack, tree_.cut_children, tree_.cut);
    // The largest is taken from the end first, so that nodes come in order.
    while (!stack.empty()) {
      const Branch branch = stack.back();
      stack.pop_back();
      CallTreeNode node;
      if ((branch.key & kReasonBit) != 0) {
        node.reason = branch.key & ~kReasonBit;
      } else {
        node.frame = branch.key;
      }
      node.depth = branch.depth - 1;
      node.total = branch.total;
      std::vector<Branch> children =
          Split(branch.begin, branch.end, branch.depth);
      node.self = node.total;
      for (const Branch& child : children) node.self -= child.total;
      children = Prune(children, node.cut_children, node.cut);
      node.children = static_cast<uint32_t>(children.size());
      tree_.nodes.push_back(node);
      stack.insert(stack.end(), children.begin(), children.end());
    }
    return std::move(tree_);
  }

 private:
  void AddItem(const FrameTable& table, uint32_t traceback,
               const std::vector<FrameRef>& frames, const Measure& value) {
    Item item = {static_cast<uint32_t>(keys_.size()), 0, value};
    const std::vector<FrameRef> kept = options_.fold_library && !frames.empty()
                                           ? WithoutLibraryFrames(table, frames)
                                           : frames;
    for (const FrameRef frame : kept) keys_.push_back(frame.id);
    if (kept.empty()) {
      keys_.push_back(kReasonBit |
                      (traceback < format::kFirstId ? traceback : 0));
    }
    if (!options_.inverted) {
      std::reverse(keys_.begin() + item.begin, keys_.end());
    }
    item.size = static_cast<uint32_t>(keys_.size()) - item.begin;
    items_.push_back(item);
  }

  // The branches of items [begin, end) by their key at `depth`, which brings
  // the items of a branch together. Items that end before come first.
  std::vector<Branch> Split(uint32_t begin, uint32_t end, uint32_t depth) {
    std::vector<Branch> branches;
    absl::flat_hash_map<uint32_t, uint32_t> of_key;
    std::vector<uint32_t> branch_of(end - begin, 0);  // 0: ends here.
    uint32_t ended = 0;
    for (uint32_t i = begin; i < end; ++i) {
      const Item& item = items_[i];
      if (item.size <= depth) {
        ++ended;
        continue;
      }
      const uint32_t key = keys_[item.begin + depth];
      const auto [entry, is_new] =
          of_key.try_emplace(key, static_cast<uint32_t>(branches.size()));
      if (is_new) branches.push_back({key, 0, 0, depth + 1, Measure()});
      Branch& branch = branches[entry->second];
      ++branch.end;  // Counts for now.
      branch.total += item.value;
      branch_of[i - begin] = entry->second + 1;
    }
    uint32_t next = begin + ended;
    for (Branch& branch : branches) {
      branch.begin = next;
      next += branch.end;
      branch.end = branch.begin;
    }
    if (branches.size() == 1 && ended == 0) {
      branches[0].end = end;
      return branches;
    }
    std::vector<Item> sorted(end - begin);
    uint32_t next_ended = begin;
    for (uint32_t i = begin; i < end; ++i) {
      const uint32_t branch = branch_of[i - begin];
      uint32_t& slot = branch == 0 ? next_ended : branches[branch - 1].end;
      sorted[slot++ - begin] = items_[i];
    }
    std::copy(sorted.begin(), sorted.end(), items_.begin() + begin);
    return branches;
  }

  // Sorts by size, the largest last, and takes out what is too small.
  std::vector<Branch> Prune(const std::vector<Branch>& branches,
                            uint32_t& cut_count, Measure& cut) const {
    std::vector<Branch> kept;
    for (const Branch& branch : branches) {
      if (static_cast<double>(branch.total.usable) >= least_) {
        kept.push_back(branch);
      } else {
        ++cut_count;
        cut += branch.total;
      }
    }
    std::sort(kept.begin(), kept.end(), [](const Branch& a, const Branch& b) {
      return std::tie(a.total.usable, a.total.blocks, b.key) <
             std::tie(b.total.usable, b.total.blocks, a.key);
    });
    return kept;
  }

  const CallTreeOptions options_;
  double least_ = 0;
  std::vector<uint32_t> keys_;
  std::vector<Item> items_;
  CallTree tree_;
};

}  // namespace

CallTree BuildCallTree(const Snapshot& snapshot, const Census& census,
                       const CallTreeOptions& options) {
  return Builder(snapshot, census, options).Build();
}

}  // namespace heaptally
