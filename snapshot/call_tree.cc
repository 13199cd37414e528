#include "snapshot/call_tree.h"

#include "snapshot/row_table.h"

namespace heaptally {

CallTree BuildCallTree(const Census& census, const CallTreeOptions& options) {
  Query query = QueryOf(census.options);
  query.by = GroupBy::kTraceback;
  query.inverted = options.inverted;
  query.fold = options.fold_library ? Fold::kAll : Fold::kNone;
  CallTree result;
  // The census was made with the same filter, which was sound.
  const auto rows = RowTable::Build(census.analysis, query);
  if (!rows.ok()) return result;
  const RowTable& table = **rows;
  const RowTable::Tree tree =
      (*rows)->BuildTree(options.min_share, options.most_nodes);
  result.total = table.Shown(tree.area);
  result.cut_children = tree.cut_children;
  result.cut = table.Shown(tree.cut);
  result.cut_nodes = tree.cut_nodes;
  result.nodes.reserve(tree.nodes.size());
  for (const RowTable::TreeNode& node : tree.nodes) {
    CallTreeNode& made = result.nodes.emplace_back();
    const bool reason = node.row.kind == RowKind::kReason;
    made.frame = reason ? 0 : node.row.id;
    made.reason = reason ? node.row.id : 0;
    made.without_stack = reason;
    made.depth = node.depth;
    made.children = node.children;
    made.total = table.Shown(node.area);
    made.self = table.Shown(node.own);
    made.cut_children = node.cut_children;
    made.cut = table.Shown(node.cut);
  }
  return result;
}

}  // namespace heaptally
