#include "snapshot/row_tree.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "snapshot/sized_units.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"

namespace heaptally {
namespace {

std::vector<GroupBy> LevelsOf(GroupBy by) {
  switch (by) {
    case GroupBy::kModule:
      return {GroupBy::kModule, GroupBy::kFile, GroupBy::kFunction};
    case GroupBy::kFile:
      return {GroupBy::kFile, GroupBy::kFunction};
    case GroupBy::kFunction:
    case GroupBy::kLine:
      return {by};
    default:
      return {};
  }
}

}  // namespace

RowTree::RowTree(const Analysis& analysis, const Query& query,
                 const std::vector<uint32_t>& units)
    : analysis_(analysis),
      query_(query),
      units_(units),
      stacks_(analysis.StacksFor(query.fold == Fold::kAll)) {
  for (const GroupBy by : LevelsOf(query.by)) {
    levels_.push_back(&analysis.Groups(by));
  }
  if (by_size()) {
    passes_.resize(analysis.size(), false);
    for (const uint32_t unit : units) passes_[unit] = true;
  }
  nodes_.emplace_back();
}

const Values& RowTree::ValuesOf(const RowItem& item) const {
  return by_size() ? sized_[item.source].values : analysis_.values(item.source);
}

uint32_t RowTree::UnitOf(const RowItem& item) const {
  return by_size() ? sized_[item.source].unit : item.source;
}

uint32_t RowTree::SiteOf(uint32_t unit) const {
  if (query_.fold != Fold::kSite) return 0;
  const absl::Span<const PackedFrame> frames = stacks_[unit];
  for (uint32_t i = 0; i < frames.size(); ++i) {
    if (!analysis_.IsLibrary(frames[i].id())) return i;
  }
  return 0;
}

uint32_t RowTree::KeyAt(const RowItem& item, uint32_t depth,
                        PackedFrame* frame) const {
  const uint32_t unit = UnitOf(item);
  const absl::Span<const PackedFrame> frames = stacks_[unit];
  if (frames.empty()) {
    if (depth != 0) return kNoKey;
    return kReasonBit | analysis_.unit(unit).reason();
  }
  const size_t place = size_t{item.start} + depth;
  if (place >= frames.size()) return kNoKey;
  const bool from_outermost =
      query_.by == GroupBy::kTraceback && !query_.inverted;
  const PackedFrame found =
      frames[from_outermost ? frames.size() - 1 - place : place];
  if (frame != nullptr) *frame = found;
  return found.id();
}

uint32_t RowTree::AddNode(uint32_t parent, RowNode node) {
  node.parent = parent;
  nodes_.push_back(std::move(node));
  return static_cast<uint32_t>(nodes_.size() - 1);
}

const std::vector<uint32_t>& RowTree::Open(uint32_t node) {
  if (nodes_[node].opened) return nodes_[node].children;
  if (nodes_[node].kind == RowKind::kReason) {
    // A reason has nothing below it.
  } else if (by_groups() && nodes_[node].level < levels_.size() &&
             (node == kRoot || nodes_[node].level + 1u < levels_.size())) {
    OpenGroups(node);
  } else if (node == kRoot) {
    OpenRoot();
  } else {
    LoadItems(node);
    OpenStacks(node, nodes_[node].depth);
  }
  nodes_[node].opened = true;
  return nodes_[node].children;
}

void RowTree::OpenRoot() {
  if (by_size()) {
    OpenSizes();
    return;
  }
  auto items = std::make_shared<std::vector<RowItem>>();
  items->reserve(units_.size());
  for (const uint32_t unit : units_) items->push_back({unit, 0, 1});
  RowNode& root = nodes_[kRoot];
  root.end = static_cast<uint32_t>(items->size());
  root.items = std::move(items);
  OpenStacks(kRoot, 0);
}

void RowTree::OpenSizes() {
  const SizedUnits& sizes = analysis_.Sizes();
  // The size in which a site was met last; the last one is of the reasons.
  std::vector<uint32_t> met(analysis_.table().size() + format::kFirstId, 0);
  uint32_t turn = 0;
  const std::vector<SizedUnits::Total> totals = sizes.Totals(passes_);
  for (size_t i = 0; i < totals.size(); ++i) {
    const SizedUnits::Total& total = totals[i];
    if (total.units.empty()) continue;
    ++turn;
    RowNode node;
    node.usable = sizes.sizes()[i];
    node.self = node.total = total.values;
    node.tracebacks = static_cast<uint32_t>(total.units.size());
    for (const uint32_t unit : total.units) {
      const absl::Span<const PackedFrame> frames = stacks_[unit];
      const size_t site = frames.empty() ? analysis_.table().size() +
                                               analysis_.unit(unit).reason()
                                         : frames[SiteOf(unit)].id();
      node.sites += std::exchange(met[site], turn) != turn;
    }
    nodes_[kRoot].children.push_back(AddNode(kRoot, std::move(node)));
  }
}

void RowTree::LoadSizeItems(uint32_t node) {
  auto items = std::make_shared<std::vector<RowItem>>();
  for (const SizedUnit& sized : analysis_.Sizes().Of(nodes_[node].usable)) {
    if (!passes_[sized.unit]) continue;
    items->push_back(
        {static_cast<uint32_t>(sized_.size()), SiteOf(sized.unit), 1});
    sized_.push_back(sized);
  }
  nodes_[node].end = static_cast<uint32_t>(items->size());
  nodes_[node].items = std::move(items);
}

void RowTree::LoadItems(uint32_t node) {
  if (nodes_[node].items != nullptr) return;
  by_size() ? LoadSizeItems(node) : LoadGroupItems(node);
}

// Partitions the items of a node by their key at `depth`, which brings the
// items of a child together; items that end before come first.
void RowTree::OpenStacks(uint32_t node, uint32_t depth) {
  const bool outermost = query_.by == GroupBy::kTraceback && !query_.inverted;
  const uint32_t begin = nodes_[node].begin;
  const uint32_t end = nodes_[node].end;
  std::vector<RowItem>& items = *nodes_[node].items;
  absl::flat_hash_map<uint32_t, uint32_t> of_key;
  std::vector<uint32_t> child_of(end - begin, 0);  // + 1; 0: ends here.
  std::vector<uint32_t> children;
  uint32_t ended = 0;
  for (uint32_t i = begin; i < end; ++i) {
    const RowItem item = items[i];
    PackedFrame frame;
    const uint32_t key = KeyAt(item, depth, &frame);
    if (key == kNoKey) {
      ++ended;
      continue;
    }
    const auto [entry, is_new] =
        of_key.try_emplace(key, static_cast<uint32_t>(children.size()));
    if (is_new) {
      RowNode made;
      made.kind = (key & kReasonBit) != 0 ? RowKind::kReason : RowKind::kFrame;
      made.id = key & ~kReasonBit;
      made.inlined = frame.inlined();
      made.level = static_cast<uint8_t>(levels_.size());
      made.depth = depth + 1;
      made.items = nodes_[node].items;
      children.push_back(AddNode(node, std::move(made)));
    }
    RowNode& child = nodes_[children[entry->second]];
    const Values& values = ValuesOf(item);
    child.total += values;
    const bool self =
        outermost ? KeyAt(item, depth + 1) == kNoKey : item.self != 0;
    if (self) child.self += values;
    ++child.tracebacks;
    child_of[i - begin] = entry->second + 1;
  }
  uint32_t next = begin + ended;
  for (const uint32_t child : children) {
    nodes_[child].begin = nodes_[child].end = next;
    next += nodes_[child].tracebacks;
  }
  std::vector<RowItem> sorted(end - begin);
  uint32_t next_ended = 0;
  for (uint32_t i = begin; i < end; ++i) {
    const uint32_t child = child_of[i - begin];
    const uint32_t slot =
        child == 0 ? next_ended++ : nodes_[children[child - 1]].end++ - begin;
    sorted[slot] = items[i];
  }
  std::copy(sorted.begin(), sorted.end(), items.begin() + begin);
  nodes_[node].children = std::move(children);
}

std::vector<uint32_t> RowTree::CountChildren(uint32_t node,
                                             absl::Span<const uint32_t> shown) {
  std::vector<uint32_t> counts(shown.size(), 0);
  const bool groups = by_groups() && nodes_[node].level < levels_.size() &&
                      !shown.empty() && nodes_[shown[0]].level < levels_.size();
  if (groups) {
    CountGroupChildren(node, shown, counts);
    return counts;
  }
  for (size_t i = 0; i < shown.size(); ++i) {
    if (by_size() && node == kRoot) {
      counts[i] = nodes_[shown[i]].sites;
      continue;
    }
    counts[i] = static_cast<uint32_t>(Open(shown[i]).size());
  }
  return counts;
}

std::string RowTree::KeyOf(const RowNode& node) const {
  if (node.kind == RowKind::kReason) return absl::StrCat("r", node.id);
  if (node.kind == RowKind::kFrame) return absl::StrCat("f", node.id);
  return by_size() ? absl::StrCat("s", node.usable)
                   : absl::StrCat("g", node.id);
}

std::string RowTree::NameOf(const RowNode& node) const {
  if (node.kind == RowKind::kReason) return std::string(ReasonText(node.id));
  if (node.kind == RowKind::kFrame) {
    return std::string(analysis_.table()[node.id].function);
  }
  return by_size() ? absl::StrCat(node.usable, " bytes")
                   : levels_[node.level]->names()[node.id];
}

Row RowTree::RowOf(uint32_t id) const {
  const RowNode& node = nodes_[id];
  Row row;
  row.key = KeyOf(node);
  row.kind = node.kind;
  if (node.kind == RowKind::kGroup) {
    row.by = by_size() ? GroupBy::kSizeClass : levels_[node.level]->by();
  }
  row.id = node.id;
  row.usable = node.usable;
  row.name = NameOf(node);
  row.inlined = node.inlined;
  row.self = node.self;
  row.total = node.total;
  row.tracebacks = node.tracebacks;
  return row;
}

bool RowTree::HasGroupsBelow(uint32_t node) const {
  if (query_.by == GroupBy::kTraceback) return true;
  if (node == kRoot) return true;
  return nodes_[node].level + 1u < levels_.size();
}

absl::StatusOr<uint32_t> RowTree::Find(absl::string_view path) {
  uint32_t node = kRoot;
  if (path.empty()) return node;
  for (const absl::string_view key : absl::StrSplit(path, '.')) {
    const std::vector<uint32_t>& children = Open(node);
    const auto found = std::find_if(
        children.begin(), children.end(),
        [&](uint32_t child) { return KeyOf(nodes_[child]) == key; });
    if (found == children.end()) {
      return absl::NotFoundError(absl::StrCat(
          "there is no row '", SafeText(key), "' at the path '", SafeText(path),
          "' in this view; the snapshot, the grouping or the filter is "
          "another one than the path is of"));
    }
    node = *found;
  }
  return node;
}

std::vector<uint32_t> RowTree::Units(uint32_t node, bool self) {
  if (node == kRoot) return units_;
  std::vector<uint32_t> units;
  const bool outermost = query_.by == GroupBy::kTraceback && !query_.inverted;
  if (nodes_[node].kind == RowKind::kReason && nodes_[node].items == nullptr) {
    for (const uint32_t unit : units_) {
      if (stacks_[unit].empty() &&
          analysis_.unit(unit).reason() == nodes_[node].id) {
        units.push_back(unit);
      }
    }
    return units;
  }
  LoadItems(node);
  const RowNode& n = nodes_[node];
  for (uint32_t i = n.begin; i < n.end; ++i) {
    const RowItem& item = (*n.items)[i];
    if (self &&
        !(outermost ? KeyAt(item, n.depth) == kNoKey : item.self != 0)) {
      continue;
    }
    units.push_back(UnitOf(item));
  }
  return units;
}

}  // namespace heaptally
