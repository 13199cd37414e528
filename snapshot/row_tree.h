// The rows behind a RowTable: a tree of nodes that are opened when asked for,
// by partitioning the units below a node by their next key. Not thread-safe.
//
// A row is a group (function, file, line, module; up to three levels of them),
// a size class, or a frame of a stack. Below a group of functions or lines
// stand the callers of its innermost frame in each stack. `self` sums what was
// allocated in the row's group or frame, `total` what was allocated there or
// below; a unit counts once in each.
#ifndef HEAPTALLY_SNAPSHOT_ROW_TREE_H_
#define HEAPTALLY_SNAPSHOT_ROW_TREE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/analysis.h"
#include "snapshot/query.h"
#include "snapshot/row_table.h"

namespace heaptally {

// A unit (or, by size class, a part of one) below a node.
struct RowItem {
  uint32_t source;      // Unit, or index of sized_.
  uint32_t start : 31;  // Where the node's stack begins; see RowTree::KeyAt.
  uint32_t self : 1;    // Whether the unit was allocated in the node's group.
};

struct RowNode {
  RowKind kind = RowKind::kGroup;
  bool inlined = false;
  bool opened = false;
  uint8_t level = 0;  // Which group level it is of; all of them: a frame.
  uint32_t id = 0;    // Frame, group or reason.
  uint32_t parent = 0;
  uint32_t depth = 0;  // Of the keys of its children.
  uint32_t begin = 0;  // Range of items, once there are any.
  uint32_t end = 0;
  uint32_t tracebacks = 0;
  uint32_t sites = 0;   // Of a size class: how many children it has.
  uint64_t usable = 0;  // Of a size class.
  std::shared_ptr<std::vector<RowItem>> items;
  std::vector<uint32_t> children;  // Once opened.
  Values self;
  Values total;
};

class RowTree {
 public:
  static constexpr uint32_t kRoot = 0;

  // What must outlive it: everything.
  RowTree(const Analysis& analysis, const Query& query,
          const std::vector<uint32_t>& units);

  const RowNode& operator[](uint32_t node) const { return nodes_[node]; }
  // The children, in no order.
  const std::vector<uint32_t>& Open(uint32_t node);
  // How many children each of the children `shown` of a node has, without
  // opening groups.
  std::vector<uint32_t> CountChildren(uint32_t node,
                                      absl::Span<const uint32_t> shown);
  absl::StatusOr<uint32_t> Find(absl::string_view path);
  // The units below a node, or only those that were allocated in it.
  std::vector<uint32_t> Units(uint32_t node, bool self);

  std::string KeyOf(const RowNode& node) const;
  Row RowOf(uint32_t node) const;  // Its children not counted.
  std::string NameOf(const RowNode& node) const;
  // Whether rows of a node are still groups, whose self values add up.
  bool HasGroupsBelow(uint32_t node) const;
  const Values& ValuesOf(const RowItem& item) const;
  uint32_t UnitOf(const RowItem& item) const;

 private:
  static constexpr uint32_t kReasonBit = uint32_t{1} << 31;

  bool by_size() const { return query_.by == GroupBy::kSizeClass; }
  bool by_groups() const { return !levels_.empty(); }
  uint32_t AddNode(uint32_t parent, RowNode node);

  // The key of an item at a depth of its stack: a frame id, kReasonBit and a
  // reason, or kNoKey behind the end. `frame` is set for a frame.
  static constexpr uint32_t kNoKey = ~uint32_t{0};
  uint32_t KeyAt(const RowItem& item, uint32_t depth,
                 PackedFrame* frame = nullptr) const;
  uint32_t SiteOf(uint32_t unit) const;
  void OpenRoot();
  void OpenStacks(uint32_t node, uint32_t depth);
  void OpenSizes();
  void LoadSizeItems(uint32_t node);
  void LoadItems(uint32_t node);

  // row_groups.cc: the groups of a level below a node.
  class GroupSums;
  void OpenGroups(uint32_t node);
  void LoadGroupItems(uint32_t node);
  bool InGroups(uint32_t node, uint32_t frame) const;
  // Calls visit(unit, item) for everything below a group node or the root.
  template <typename Visit>
  void VisitItems(uint32_t node, Visit visit) const;
  void CountGroupChildren(uint32_t node, absl::Span<const uint32_t> shown,
                          std::vector<uint32_t>& counts) const;

  const Analysis& analysis_;
  const Query query_;
  const std::vector<uint32_t>& units_;
  const Stacks& stacks_;
  std::vector<const FrameGroups*> levels_;
  std::vector<SizedUnit> sized_;  // Below the size classes that were opened.
  std::vector<bool> passes_;      // By unit; only by size class.
  std::deque<RowNode> nodes_;     // Places stay when it grows.
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_ROW_TREE_H_
