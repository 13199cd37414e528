// The analyses as JSON for a page that shows them. Errors are sentences for
// people; nothing is written then. Thread-safe for distinct streams.
#ifndef HEAPTALLY_SNAPSHOT_VIEW_JSON_H_
#define HEAPTALLY_SNAPSHOT_VIEW_JSON_H_

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "snapshot/analysis.h"
#include "snapshot/query.h"
#include "snapshot/row_table.h"

namespace heaptally {

struct RowsRequest {
  std::string of = {};  // Repeated in the answer.
  RowRequest rows = {};
  // No order was asked for: of a pair, growth comes first if there was more
  // growth than shrinkage, else what shrank.
  bool by_net_direction = false;
};
// of, path, sort, desc, offset, limit (at most 10,000).
absl::StatusOr<RowsRequest> ParseRowsRequest(Parameters parameters);
absl::Status RowsJson(RowTable& table, const RowsRequest& request,
                      std::ostream& out);

struct TreeRequest {
  double min_share = 0.0005;
  uint64_t max_nodes = 5000;
};
// min_share, max_nodes (at most 100,000).
absl::StatusOr<TreeRequest> ParseTreeRequest(Parameters parameters);
absl::Status TreeJson(RowTable& table, const TreeRequest& request,
                      std::ostream& out);

enum class BlockSort { kAddress, kRequested, kUsable, kAge };
struct IndividualsRequest {
  std::string path = {};
  // Blocks that were allocated in the row itself, or also below it.
  bool self = false;
  BlockSort sort = BlockSort::kAddress;
  bool descending = false;
  uint64_t offset = 0;
  uint64_t limit = 100;
};
// path, part=self|total, sort, desc, offset, limit (at most 10,000).
absl::StatusOr<IndividualsRequest> ParseIndividualsRequest(
    Parameters parameters);
absl::Status IndividualsJson(RowTable& table, const IndividualsRequest& request,
                             std::ostream& out);

struct StackRequest {
  uint32_t traceback = 0;
  bool baseline = false;
};
// traceback, side=baseline|comparison.
absl::StatusOr<StackRequest> ParseStackRequest(Parameters parameters);
absl::Status StackJson(const Analysis& analysis, const StackRequest& request,
                       std::ostream& out);

// Totals, largest groups and sizes are of what the query's filter lets pass;
// all else is of the whole. Errors: a bad filter.
absl::Status SummaryJson(const Analysis& analysis, const Query& query,
                         std::ostream& out);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_VIEW_JSON_H_
