// The answer to a query: rows in a tree, opened when asked for. Rows are found
// by a path of keys, which stay the same for the same files. Internally
// synchronised: any thread may use it.
#ifndef HEAPTALLY_SNAPSHOT_ROW_TABLE_H_
#define HEAPTALLY_SNAPSHOT_ROW_TABLE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "snapshot/analysis.h"
#include "snapshot/query.h"

namespace heaptally {

class RowTree;

enum class RowKind { kFrame, kGroup, kReason };

enum class RowSort {
  kDefault,  // Of a pair: growth; else total by stack, self for the others.
  kSelf,
  kTotal,
  kName,
  kCount,
  kTotalCount,
  kAtPeak,
  kEver,
  kAdded,
  kFreed,
  kSurvived,
};

struct Row {
  std::string key;  // "f12", "g3" or "r1".
  RowKind kind = RowKind::kFrame;
  GroupBy by = GroupBy::kTraceback;  // Of a group: what it is of.
  uint32_t id = 0;                   // Of the frame, the group or the reason.
  uint64_t usable = 0;               // Of a size class.
  std::string name;  // A function, a group's name, the words of a reason.
  bool inlined = false;
  Values self;   // What was allocated there.
  Values total;  // What was allocated there or below.
  uint32_t children = 0;
  uint32_t tracebacks = 0;
};

struct RowRequest {
  std::string path = {};  // Keys joined by dots; empty: the top rows.
  RowSort sort = RowSort::kDefault;
  bool descending = true;
  uint64_t offset = 0;
  uint64_t limit = 100;
};

struct RowPage {
  uint64_t total_rows = 0;
  // Rows that hold nothing of the query's series and are therefore left out.
  uint64_t empty_rows = 0;
  std::vector<Row> rows;
};

class RowTable {
 public:
  // Errors: a filter that is no regular expression.
  static absl::StatusOr<std::shared_ptr<RowTable>> Build(
      std::shared_ptr<const Analysis> analysis, const Query& query);
  ~RowTable();
  RowTable(const RowTable&) = delete;
  RowTable& operator=(const RowTable&) = delete;

  const Analysis& analysis() const { return *analysis_; }
  const Query& query() const { return query_; }
  // All, and what the filter lets pass. By size class all that blocks say.
  const Values& whole() const { return whole_; }
  const Values& matched() const { return matched_; }
  Values left_out() const;
  // The measure of the query's series; of a pair what was added.
  const Measure& Shown(const Values& values) const;
  // Whether there is nothing to show: nothing of the series or, of a pair, at
  // all.
  bool IsEmpty(const Values& values) const;
  // The units that the filter lets pass and that are not all zero.
  const std::vector<uint32_t>& units() const { return units_; }

  // What kDefault stands for.
  RowSort Resolved(RowSort sort) const;

  // Errors: a path that leads nowhere.
  absl::StatusOr<RowPage> Rows(const RowRequest& request);
  // Where most was allocated (of a pair: what changed most in the direction of
  // the net), in usable bytes: a frame outside of the C++ library or a reason.
  struct Site {
    RowKind kind = RowKind::kReason;
    uint32_t id = 0;
    Values values;
  };
  Site LargestSite() const;
  size_t top_rows();  // Their number, with those that are empty.
  // All top rows, in no order, their children not counted.
  std::vector<Row> TopRows();
  // The units of a row, and the size class if it is below one (else 0): all
  // that pass through it or, `self`, those that were allocated there.
  struct Selection {
    std::vector<uint32_t> units;
    uint64_t usable = 0;
  };
  absl::StatusOr<Selection> Select(absl::string_view path, bool self);

  // The rows as a whole tree; larger than `min_share` of all, at most
  // `max_nodes` (0: no bound), the largest first.
  struct TreeNode {
    Row row;
    uint32_t depth = 0;
    uint32_t children = 0;  // That are in the tree.
    Values area;            // Of the node and all below; children add up to it.
    Values own;             // The part that is in no child.
    uint32_t cut_children = 0;
    Values cut;
  };
  struct Tree {
    std::vector<TreeNode> nodes;  // A node, then its children by size.
    Values area;
    uint32_t cut_children = 0;  // At the top.
    Values cut;
    uint64_t cut_nodes = 0;  // Altogether.
    Values cut_total;
  };
  Tree BuildTree(double min_share, size_t max_nodes);

 private:
  RowTable(std::shared_ptr<const Analysis> analysis, const Query& query);
  absl::Status Filter();
  void SumSizes();

  const std::shared_ptr<const Analysis> analysis_;
  const Query query_;
  Values whole_;
  Values matched_;
  std::vector<uint32_t> units_;
  std::mutex mutex_;
  // Guarded by mutex_:
  std::unique_ptr<RowTree> tree_;
  // The rows that were asked for last, sorted.
  struct Order {
    uint32_t node;
    RowSort sort;
    bool descending;
    std::vector<uint32_t> rows;
  };
  std::optional<Order> order_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_ROW_TABLE_H_
