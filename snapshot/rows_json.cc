// Rows and trees of rows as JSON.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "snapshot/json_writer.h"
#include "snapshot/rows_sentence.h"
#include "snapshot/text_format.h"
#include "snapshot/view_json.h"
#include "snapshot/view_parts.h"

namespace heaptally {
namespace {

// In the order of RowSort.
constexpr absl::string_view kSorts[] = {
    "default", "self", "total", "name",  "count",    "total_count",
    "at_peak", "ever", "added", "freed", "survived", "net"};
// Of a pair what "default" is, too.
constexpr size_t kByNet = std::size(kSorts) - 1;

void WriteNotes(JsonWriter& json, const RowTable& table, const RowPage& page) {
  json.Key("notes").BeginArray();
  for (const std::string& note : table.analysis().notes()) json.String(note);
  if (page.empty_rows != 0) {
    json.String(absl::StrCat(
        CountOf(page.empty_rows, "row", "rows"), " that ",
        page.empty_rows == 1 ? "holds" : "hold", " nothing ",
        table.query().series == Series::kAtPeak ? "at the peak" : "now",
        page.empty_rows == 1 ? " is" : " are", " not listed."));
  }
  json.EndArray();
}

uint64_t NumberOf(const RowTable& table, const Values& values) {
  return InUnit(table.Shown(values), table.query().unit);
}

// All that a place holds: of a pair new, freed and survived together.
uint64_t AreaOf(const RowTable& table, const Values& values) {
  if (!table.analysis().is_pair()) return NumberOf(table, values);
  uint64_t area = 0;
  for (const Measure& part : values.of) {
    area += InUnit(part, table.query().unit);
  }
  return area;
}

void WriteTreeValues(JsonWriter& json, const RowTable& table, const Values& own,
                     const Values& area) {
  const Unit unit = table.query().unit;
  json.Key("v").BeginArray();
  for (const Values* values : {&own, &area}) {
    if (table.analysis().is_pair()) {
      json.Signed(static_cast<int64_t>(InUnit(values->of[0], unit) -
                                       InUnit(values->of[1], unit)));
    } else {
      json.Number(NumberOf(table, *values));
    }
  }
  json.EndArray();
  if (!table.analysis().is_pair()) return;
  json.Key("added").Number(InUnit(area.of[0], unit));
  json.Key("freed").Number(InUnit(area.of[1], unit));
  json.Key("survived").Number(InUnit(area.of[2], unit));
}

// What was left out of a node: [branches, total].
void WriteCut(JsonWriter& json, const RowTable& table, uint32_t children,
              const Values& cut) {
  if (children == 0) return;
  json.Key("x").BeginArray();
  json.Number(children);
  json.Number(AreaOf(table, cut));
  json.EndArray();
}

void WriteTreeNodes(JsonWriter& json, const RowTable& table,
                    const RowTable::Tree& tree) {
  uint32_t open = 0;  // Levels that are not closed.
  for (const RowTable::TreeNode& node : tree.nodes) {
    while (open > node.depth) {
      json.EndArray();
      json.EndObject();
      --open;
    }
    json.BeginObject(true);
    WriteRowHead(json, table.analysis(), node.row);
    WriteTreeValues(json, table, node.own, node.area);
    WriteCut(json, table, node.cut_children, node.cut);
    if (node.children == 0) {
      json.EndObject();
      continue;
    }
    json.Key("c").BeginArray();
    ++open;
  }
  for (; open > 0; --open) {
    json.EndArray();
    json.EndObject();
  }
}

}  // namespace

absl::StatusOr<RowsRequest> ParseRowsRequest(Parameters parameters) {
  RowsRequest request;
  request.of = std::string(Parameter(parameters, "of"));
  request.rows.path = std::string(Parameter(parameters, "path"));
  const auto sort = WordParameter(parameters, "sort", kSorts, 0);
  if (!sort.ok()) return sort.status();
  request.rows.sort =
      *sort == kByNet ? RowSort::kDefault : static_cast<RowSort>(*sort);
  request.by_net_direction =
      *sort == 0 && Parameter(parameters, "desc").empty();
  const bool by_name = request.rows.sort == RowSort::kName;
  const auto descending = SwitchParameter(parameters, "desc", !by_name);
  if (!descending.ok()) return descending.status();
  request.rows.descending = *descending;
  const auto offset = NumberParameter(parameters, "offset", 0, UINT32_MAX);
  if (!offset.ok()) return offset.status();
  request.rows.offset = *offset;
  const auto limit = NumberParameter(parameters, "limit", 100, kMostRows);
  if (!limit.ok()) return limit.status();
  request.rows.limit = *limit;
  return request;
}

absl::Status RowsJson(RowTable& table, const RowsRequest& request,
                      std::ostream& out) {
  const Analysis& analysis = table.analysis();
  RowRequest rows = request.rows;
  if (request.by_net_direction && analysis.is_pair()) {
    const Values& matched = table.matched();
    const Unit unit = table.query().unit;
    rows.descending =
        InUnit(matched.of[0], unit) >= InUnit(matched.of[1], unit);
  }
  const absl::StatusOr<RowPage> page = table.Rows(rows);
  if (!page.ok()) return page.status();
  JsonWriter json(out);
  json.BeginObject();
  json.Key("of").String(request.of);
  json.Key("kind").String(analysis.is_pair() ? "comparison" : "snapshot");
  const bool by_net = analysis.is_pair() && rows.sort == RowSort::kDefault;
  json.Key("sort").String(
      by_net ? "net" : kSorts[static_cast<size_t>(table.Resolved(rows.sort))]);
  json.Key("desc").Bool(rows.descending);
  json.Key("total_rows").Number(page->total_rows);
  json.Key("empty_rows").Number(page->empty_rows);
  json.Key("offset").Number(request.rows.offset);
  json.Key("rows").BeginArray();
  const bool by_size = table.query().by == GroupBy::kSizeClass;
  for (const Row& row : page->rows) WriteRow(json, analysis, row, by_size);
  json.EndArray();
  json.Key("whole");
  WriteViewValues(json, analysis, table.whole());
  json.Key("matched");
  WriteViewValues(json, analysis, table.matched());
  json.Key("left_out");
  WriteViewValues(json, analysis, table.left_out());
  json.Key("sentence").String(RowsSentence(table));
  json.Key("matched_by");
  if (analysis.is_pair()) {
    json.String(MatchedByName(analysis.matched_by()));
  } else {
    json.Null();
  }
  WriteNotes(json, table, *page);
  json.Key("groups").Number(table.top_rows());
  json.EndObject();
  return absl::OkStatus();
}

absl::StatusOr<TreeRequest> ParseTreeRequest(Parameters parameters) {
  TreeRequest request;
  const absl::string_view share = Parameter(parameters, "min_share");
  if (!share.empty() && (!absl::SimpleAtod(share, &request.min_share) ||
                         !(request.min_share >= 0 && request.min_share <= 1))) {
    return absl::InvalidArgumentError(
        absl::StrCat("min_share cannot be '", SafeText(share),
                     "'; take a number from 0 to 1"));
  }
  const auto most = NumberParameter(parameters, "max_nodes", 5000, 100000);
  if (!most.ok()) return most.status();
  request.max_nodes = *most;
  return request;
}

absl::Status TreeJson(RowTable& table, const TreeRequest& request,
                      std::ostream& out) {
  const RowTable::Tree tree = table.BuildTree(
      request.min_share, std::max<uint64_t>(1, request.max_nodes));
  Values own = tree.area;
  for (const RowTable::TreeNode& node : tree.nodes) {
    if (node.depth == 0) own -= node.area;
  }
  own -= tree.cut;
  JsonWriter json(out);
  json.BeginObject(true);
  json.Key("whole").Number(NumberOf(table, table.matched()));
  json.Key("root").BeginObject();
  json.Key("key").String("");
  json.Key("kind").String("group");
  Frame root;
  root.function = "all";
  WriteFrameFields(json, root, false);
  WriteTreeValues(json, table, own, tree.area);
  WriteCut(json, table, tree.cut_children, tree.cut);
  json.Key("c").BeginArray();
  WriteTreeNodes(json, table, tree);
  json.EndArray();
  json.EndObject();
  json.Key("cut").BeginObject();
  json.Key("nodes").Number(tree.cut_nodes);
  json.Key("total").Number(AreaOf(table, tree.cut_total));
  json.EndObject();
  json.EndObject();
  return absl::OkStatus();
}

}  // namespace heaptally
