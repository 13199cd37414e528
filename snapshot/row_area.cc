// RowTable's rows as one tree whose children add up, for drawings.
#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "snapshot/row_table.h"
#include "snapshot/row_tree.h"

namespace heaptally {
namespace {

class AreaBuilder {
 public:
  AreaBuilder(RowTree& tree, const RowTable& table)
      : tree_(tree),
        table_(table),
        whole_stacks_(table.query().by == GroupBy::kTraceback &&
                      !table.query().inverted) {}

  // Takes the largest rows first, so that a bound cuts the smallest.
  void Choose(double min_share, size_t max_nodes) {
    for (const uint32_t top : tree_.Open(RowTree::kRoot)) {
      area_ += AreaOf(top);
    }
    min_share_ = min_share;
    Consider(RowTree::kRoot);
    while (!waiting_.empty() &&
           (max_nodes == 0 || chosen_.size() < max_nodes)) {
      const uint32_t node = waiting_.top().second;
      waiting_.pop();
      chosen_.insert(node);
      if (tree_.HasGroupsBelow(node)) Consider(node);
    }
  }

  RowTable::Tree Build() {
    RowTable::Tree result;
    result.area = area_;
    std::vector<std::pair<uint32_t, uint32_t>> stack;  // Node, depth.
    std::vector<uint32_t> kept =
        Split(RowTree::kRoot, result.cut_children, result.cut);
    CountCut(result.cut_children, result.cut, result);
    for (const uint32_t top : kept) stack.emplace_back(top, 0);
    while (!stack.empty()) {
      const auto [node, depth] = stack.back();
      stack.pop_back();
      RowTable::TreeNode made;
      made.row = tree_.RowOf(node);
      made.depth = depth;
      made.area = made.own = AreaOf(node);
      if (tree_.HasGroupsBelow(node)) {
        kept = Split(node, made.cut_children, made.cut);
        for (const uint32_t child : tree_[node].children) {
          made.own -= AreaOf(child);
        }
        CountCut(made.cut_children, made.cut, result);
        made.children = static_cast<uint32_t>(kept.size());
        for (const uint32_t child : kept) stack.emplace_back(child, depth + 1);
      }
      result.nodes.push_back(std::move(made));
    }
    return result;
  }

 private:
  const Values& AreaOf(uint32_t node) const {
    return whole_stacks_ ? tree_[node].total : tree_[node].self;
  }
  // All that is or was there.
  uint64_t WeightOf(const Values& values) const {
    const Unit unit = table_.query().unit;
    if (!table_.analysis().is_pair()) return InUnit(table_.Shown(values), unit);
    return ChangedIn(values) + InUnit(values.of[2], unit);
  }
  // Growth and shrinking do not cancel out.
  uint64_t ChangedIn(const Values& values) const {
    const Unit unit = table_.query().unit;
    return InUnit(values.of[0], unit) + InUnit(values.of[1], unit);
  }
  // The share of the whole or, of a pair, of the changes if that is more.
  double ShareOf(const Values& values) const {
    const double share = Part(WeightOf(values), WeightOf(area_));
    if (!table_.analysis().is_pair()) return share;
    return std::max(share, Part(ChangedIn(values), ChangedIn(area_)));
  }
  static double Part(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0
                      : static_cast<double>(part) / static_cast<double>(whole);
  }
  void Consider(uint32_t node) {
    for (const uint32_t child : tree_.Open(node)) {
      const double share = ShareOf(AreaOf(child));
      if (share > 0 && share >= min_share_) waiting_.emplace(share, child);
    }
  }
  // The chosen children, the largest last; the others are summed up.
  std::vector<uint32_t> Split(uint32_t node, uint32_t& cut_count, Values& cut) {
    std::vector<uint32_t> kept;
    for (const uint32_t child : tree_.Open(node)) {
      if (chosen_.contains(child)) {
        kept.push_back(child);
      } else if (!table_.IsEmpty(AreaOf(child))) {
        ++cut_count;
        cut += AreaOf(child);
      }
    }
    const auto rank = [&](uint32_t child) {
      const Values& area = AreaOf(child);
      return std::make_tuple(WeightOf(area), table_.Shown(area).blocks,
                             -static_cast<int64_t>(tree_[child].id));
    };
    std::sort(kept.begin(), kept.end(),
              [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
    return kept;
  }
  static void CountCut(uint32_t count, const Values& cut,
                       RowTable::Tree& result) {
    result.cut_nodes += count;
    result.cut_total += cut;
  }

  RowTree& tree_;
  const RowTable& table_;
  const bool whole_stacks_;
  double min_share_ = 0;
  Values area_;
  std::priority_queue<std::pair<double, uint32_t>> waiting_;
  absl::flat_hash_set<uint32_t> chosen_;
};

}  // namespace

RowTable::Tree RowTable::BuildTree(double min_share, size_t max_nodes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  AreaBuilder builder(*tree_, *this);
  builder.Choose(min_share, max_nodes);
  return builder.Build();
}

}  // namespace heaptally
