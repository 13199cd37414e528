// The part of RowTree that sums by function, file, line and module: a unit is
// below every group that a frame of its stack is in.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "snapshot/row_tree.h"

namespace heaptally {

// Sums of the groups of one level, by group id; only touched ones are reset.
class RowTree::GroupSums {
 public:
  explicit GroupSums(uint32_t groups) : place_(groups, 0) {}

  struct Sum {
    uint32_t group;
    uint32_t last_unit;  // That was counted, + 1.
    uint32_t tracebacks = 0;
    Values self;
    Values total;
  };

  Sum& At(uint32_t group) {
    if (place_[group] == 0) {
      sums_.push_back({group, 0, 0, {}, {}});
      place_[group] = static_cast<uint32_t>(sums_.size());
    }
    return sums_[place_[group] - 1];
  }
  // Once a unit.
  void AddTotal(uint32_t group, uint32_t unit, const Values& values) {
    Sum& sum = At(group);
    if (std::exchange(sum.last_unit, unit + 1) == unit + 1) return;
    sum.total += values;
    ++sum.tracebacks;
  }
  const std::vector<Sum>& sums() const { return sums_; }

 private:
  std::vector<uint32_t> place_;  // In sums_ + 1.
  std::vector<Sum> sums_;
};

bool RowTree::InGroups(uint32_t node, uint32_t frame) const {
  for (; node != kRoot; node = nodes_[node].parent) {
    const RowNode& n = nodes_[node];
    if (levels_[n.level]->OfFrame(frame) != n.id) return false;
  }
  return true;
}

template <typename Visit>
void RowTree::VisitItems(uint32_t node, Visit visit) const {
  if (node == kRoot) {
    for (const uint32_t unit : units_) visit(unit);
    return;
  }
  for (const RowItem& item : *nodes_[node].items) visit(item.source);
}

void RowTree::OpenGroups(uint32_t node) {
  if (node != kRoot) LoadItems(node);
  const uint8_t level =
      node == kRoot ? 0 : static_cast<uint8_t>(nodes_[node].level + 1);
  const FrameGroups& groups = *levels_[level];
  GroupSums sums(groups.size());
  absl::flat_hash_map<uint32_t, GroupSums::Sum> reasons;
  VisitItems(node, [&](uint32_t unit) {
    const Values& values = analysis_.values(unit);
    const absl::Span<const PackedFrame> frames = stacks_[unit];
    if (frames.empty()) {
      GroupSums::Sum& sum = reasons[analysis_.unit(unit).reason()];
      sum.total += values;
      ++sum.tracebacks;
      return;
    }
    for (const PackedFrame frame : frames) {
      if (!InGroups(node, frame.id())) continue;
      sums.AddTotal(groups.OfFrame(frame.id()), unit, values);
    }
    const uint32_t site = frames[SiteOf(unit)].id();
    if (InGroups(node, site)) sums.At(groups.OfFrame(site)).self += values;
  });
  std::vector<uint32_t> children;
  for (const GroupSums::Sum& sum : sums.sums()) {
    RowNode child;
    child.level = level;
    child.id = sum.group;
    child.depth = 1;
    child.self = sum.self;
    child.total = sum.total;
    child.tracebacks = sum.tracebacks;
    children.push_back(AddNode(node, std::move(child)));
  }
  for (const auto& [reason, sum] : reasons) {
    RowNode child;
    child.kind = RowKind::kReason;
    child.level = level;
    child.id = reason;
    child.self = child.total = sum.total;
    child.tracebacks = sum.tracebacks;
    children.push_back(AddNode(node, std::move(child)));
  }
  nodes_[node].children = std::move(children);
}

void RowTree::LoadGroupItems(uint32_t node) {
  const uint32_t parent = nodes_[node].parent;
  auto items = std::make_shared<std::vector<RowItem>>();
  items->reserve(nodes_[node].tracebacks);
  VisitItems(parent, [&](uint32_t unit) {
    const absl::Span<const PackedFrame> frames = stacks_[unit];
    for (uint32_t i = 0; i < frames.size(); ++i) {
      if (!InGroups(node, frames[i].id())) continue;
      const bool self = InGroups(node, frames[SiteOf(unit)].id());
      items->push_back({unit, i, self});
      break;
    }
  });
  nodes_[node].begin = 0;
  nodes_[node].end = static_cast<uint32_t>(items->size());
  nodes_[node].items = std::move(items);
}

// One walk over all frames below `node`, whatever the number of rows shown.
void RowTree::CountGroupChildren(uint32_t node,
                                 absl::Span<const uint32_t> shown,
                                 std::vector<uint32_t>& counts) const {
  const uint8_t level = nodes_[shown[0]].level;
  const FrameGroups& groups = *levels_[level];
  const bool groups_below = level + 1u < levels_.size();
  std::vector<uint32_t> slot(groups.size(), 0);  // In shown + 1.
  for (uint32_t i = 0; i < shown.size(); ++i) {
    if (nodes_[shown[i]].kind == RowKind::kGroup)
      slot[nodes_[shown[i]].id] = i + 1;
  }
  std::vector<uint32_t> last_unit(shown.size(), 0);
  std::vector<bool> seen_frame(groups_below ? analysis_.table().size() : 0);
  absl::flat_hash_set<uint64_t> children;
  VisitItems(node, [&](uint32_t unit) {
    const absl::Span<const PackedFrame> frames = stacks_[unit];
    for (size_t i = 0; i < frames.size(); ++i) {
      const uint32_t frame = frames[i].id();
      const uint32_t at = slot[groups.OfFrame(frame)];
      if (at == 0 || !InGroups(node, frame)) continue;
      uint32_t child = 0;
      if (groups_below) {
        if (seen_frame[frame]) continue;
        seen_frame[frame] = true;
        child = levels_[level + 1u]->OfFrame(frame);
      } else {
        if (std::exchange(last_unit[at - 1], unit + 1) == unit + 1) continue;
        if (i + 1 >= frames.size()) continue;
        child = frames[i + 1].id();
      }
      if (children.insert(uint64_t{at} << 32 | child).second) ++counts[at - 1];
    }
  });
}

}  // namespace heaptally
