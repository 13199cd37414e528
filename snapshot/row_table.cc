#include "snapshot/row_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "snapshot/filter.h"
#include "snapshot/row_tree.h"
#include "snapshot/sized_units.h"

namespace heaptally {
namespace {

int64_t Number(const Values& values, const RowTable& table, Unit unit) {
  if (table.analysis().is_pair()) {
    return static_cast<int64_t>(InUnit(values.of[0], unit) -
                                InUnit(values.of[1], unit));
  }
  return static_cast<int64_t>(InUnit(table.Shown(values), unit));
}

// What a row is sorted by.
int64_t SortNumber(const RowNode& node, RowSort sort, const RowTable& table) {
  const Query& query = table.query();
  const bool whole = query.by == GroupBy::kTraceback && !query.inverted;
  const Values& main = whole ? node.total : node.self;
  switch (sort) {
    case RowSort::kTotal:
      return Number(node.total, table, query.unit);
    case RowSort::kCount:
      return Number(node.self, table, Unit::kBlocks);
    case RowSort::kTotalCount:
      return Number(node.total, table, Unit::kBlocks);
    case RowSort::kAdded:
      return static_cast<int64_t>(InUnit(main.of[0], query.unit));
    case RowSort::kAtPeak:
    case RowSort::kFreed:
      return static_cast<int64_t>(InUnit(main.of[1], query.unit));
    case RowSort::kEver:
    case RowSort::kSurvived:
      return static_cast<int64_t>(InUnit(main.of[2], query.unit));
    default:
      return Number(node.self, table, query.unit);
  }
}

// The rows in order; rows that are equal in it go by what they hold, then by
// their key.
void SortByNumber(const RowTree& tree, const RowTable& table, RowSort sort,
                  bool descending, std::vector<uint32_t>& rows) {
  struct Place {
    int64_t number;
    int64_t total;
    uint32_t kind;
    uint64_t id;
    uint32_t node;
  };
  std::vector<Place> places;
  places.reserve(rows.size());
  for (const uint32_t row : rows) {
    const RowNode& node = tree[row];
    places.push_back({SortNumber(node, sort, table),
                      Number(node.total, table, table.query().unit),
                      static_cast<uint32_t>(node.kind),
                      node.usable != 0 ? node.usable : node.id, row});
  }
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    if (a.number != b.number) {
      return descending ? a.number > b.number : a.number < b.number;
    }
    if (a.total != b.total) return a.total > b.total;
    return std::tie(a.kind, a.id) < std::tie(b.kind, b.id);
  });
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = places[i].node;
}

void SortByName(const RowTree& tree, bool descending,
                std::vector<uint32_t>& rows) {
  std::vector<std::tuple<std::string, uint64_t, uint32_t>> places;
  places.reserve(rows.size());
  for (const uint32_t row : rows) {
    const RowNode& node = tree[row];
    // Sizes go by number, not by letters.
    places.emplace_back(node.usable != 0 ? "" : tree.NameOf(node),
                        node.usable != 0 ? node.usable : node.id, row);
  }
  std::sort(places.begin(), places.end());
  if (descending) std::reverse(places.begin(), places.end());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = std::get<2>(places[i]);
}

}  // namespace

RowTable::RowTable(std::shared_ptr<const Analysis> analysis, const Query& query)
    : analysis_(std::move(analysis)), query_(query) {}

RowTable::~RowTable() = default;

absl::StatusOr<std::shared_ptr<RowTable>> RowTable::Build(
    std::shared_ptr<const Analysis> analysis, const Query& query) {
  const std::shared_ptr<RowTable> table(
      new RowTable(std::move(analysis), query));
  if (absl::Status s = table->Filter(); !s.ok()) return s;
  table->tree_ =
      std::make_unique<RowTree>(*table->analysis_, query, table->units_);
  // The top rows are what takes time; they are wanted at once.
  table->tree_->Open(RowTree::kRoot);
  if (query.by == GroupBy::kSizeClass) table->SumSizes();
  return table;
}

// Which units pass, and their sums.
absl::Status RowTable::Filter() {
  const absl::StatusOr<StackFilter> filter = StackFilter::Compile(
      analysis_->table(), query_.filter, query_.exclude, query_.syntax);
  if (!filter.ok()) return filter.status();
  const Analysis& analysis = *analysis_;
  const Stacks& stacks = analysis.stacks();
  for (uint32_t unit = 0; unit < analysis.size(); ++unit) {
    if (analysis.values(unit).IsZero()) continue;
    if (!filter->empty() &&
        !filter->Matches(stacks[unit], analysis.unit(unit).reason())) {
      continue;
    }
    units_.push_back(unit);
    matched_ += analysis.values(unit);
  }
  whole_ = analysis.whole();
  return absl::OkStatus();
}

// Sizes are known of blocks, not of what was at the peak. Of two processes
// each size is matched on its own, so that less survives.
void RowTable::SumSizes() {
  matched_ = Values();
  for (const uint32_t child : tree_->Open(RowTree::kRoot)) {
    matched_ += (*tree_)[child].total;
  }
  if (!analysis_->is_pair()) {
    whole_ = Values();
    whole_.of[0] = analysis_->whole().current();
  } else if (analysis_->matched_by() == MatchedBy::kSymbolisedTraceback) {
    whole_ = matched_;
    if (query_.filter.empty() && query_.exclude.empty()) return;
    whole_ = Values();
    for (const Values& sum : analysis_->Sizes().AllSums()) whole_ += sum;
  }
}

const Measure& RowTable::Shown(const Values& values) const {
  return values
      .of[analysis_->is_pair() ? 0 : static_cast<size_t>(query_.series)];
}

bool RowTable::IsEmpty(const Values& values) const {
  return analysis_->is_pair() ? values.IsZero() : Shown(values) == Measure();
}

Values RowTable::left_out() const {
  Values rest = whole_;
  return rest -= matched_;
}

RowSort RowTable::Resolved(RowSort sort) const {
  if (sort != RowSort::kDefault) return sort;
  return query_.by == GroupBy::kTraceback && !query_.inverted ? RowSort::kTotal
                                                              : RowSort::kSelf;
}

absl::StatusOr<RowPage> RowTable::Rows(const RowRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const absl::StatusOr<uint32_t> node = tree_->Find(request.path);
  if (!node.ok()) return node.status();
  const RowSort sort = Resolved(request.sort);
  if (!order_.has_value() || order_->node != *node || order_->sort != sort ||
      order_->descending != request.descending) {
    std::vector<uint32_t> rows;
    for (const uint32_t child : tree_->Open(*node)) {
      if (!IsEmpty((*tree_)[child].total)) rows.push_back(child);
    }
    if (sort == RowSort::kName) {
      SortByName(*tree_, request.descending, rows);
    } else {
      SortByNumber(*tree_, *this, sort, request.descending, rows);
    }
    order_ = Order{*node, sort, request.descending, std::move(rows)};
  }
  const std::vector<uint32_t>& rows = order_->rows;
  RowPage page;
  page.total_rows = rows.size();
  page.empty_rows = (*tree_)[*node].children.size() - rows.size();
  const uint64_t begin = std::min<uint64_t>(request.offset, rows.size());
  const uint64_t count = std::min<uint64_t>(request.limit, rows.size() - begin);
  const absl::Span<const uint32_t> shown =
      absl::MakeConstSpan(rows).subspan(begin, count);
  if (shown.empty()) return page;
  const std::vector<uint32_t> children = tree_->CountChildren(*node, shown);
  for (size_t i = 0; i < shown.size(); ++i) {
    page.rows.push_back(tree_->RowOf(shown[i]));
    page.rows.back().children = children[i];
  }
  return page;
}

RowTable::Site RowTable::LargestSite() const {
  const Stacks& stacks = analysis_->folded_stacks();
  const size_t reasons = format::kFirstId;
  std::vector<Values> sums(reasons + analysis_->table().size());
  for (const uint32_t unit : units_) {
    const absl::Span<const PackedFrame> frames = stacks[unit];
    const size_t site = frames.empty() ? analysis_->unit(unit).reason()
                                       : reasons + frames.front().id();
    sums[site] += analysis_->values(unit);
  }
  const bool shrank =
      analysis_->is_pair() && Number(matched_, *this, Unit::kUsable) < 0;
  const auto rank = [&](const Values& values) {
    const int64_t number = Number(values, *this, Unit::kUsable);
    return shrank ? ~number : number;  // Cannot overflow.
  };
  size_t best = 0;
  for (size_t i = 1; i < sums.size(); ++i) {
    if (rank(sums[i]) > rank(sums[best])) best = i;
  }
  Site site;
  site.kind = best < reasons ? RowKind::kReason : RowKind::kFrame;
  site.id = static_cast<uint32_t>(best < reasons ? best : best - reasons);
  site.values = sums[best];
  return site;
}

size_t RowTable::top_rows() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tree_->Open(RowTree::kRoot).size();
}

std::vector<Row> RowTable::TopRows() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Row> rows;
  for (const uint32_t child : tree_->Open(RowTree::kRoot)) {
    rows.push_back(tree_->RowOf(child));
  }
  return rows;
}

absl::StatusOr<RowTable::Selection> RowTable::Select(absl::string_view path,
                                                     bool self) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const absl::StatusOr<uint32_t> node = tree_->Find(path);
  if (!node.ok()) return node.status();
  Selection selection;
  selection.units = tree_->Units(*node, self);
  for (uint32_t at = *node; at != RowTree::kRoot; at = (*tree_)[at].parent) {
    selection.usable = std::max(selection.usable, (*tree_)[at].usable);
  }
  return selection;
}

}  // namespace heaptally
