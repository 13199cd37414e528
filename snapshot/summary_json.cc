// The summary of a snapshot or of a comparison as JSON.
#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "snapshot/books.h"
#include "snapshot/json_writer.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"
#include "snapshot/view_json.h"
#include "snapshot/view_parts.h"

namespace heaptally {
namespace {

constexpr uint64_t kTop = 10;

void WriteFacts(JsonWriter& json, const Snapshot& s) {
  json.BeginObject(true);
  json.Key("file").String(s.path);
  json.Key("label").String(s.notes.Text("label"));
  for (const absl::string_view key :
       {"command", "exe", "host", "process_id", "mode", "runtime_version"}) {
    json.Key(key).String(s.facts.Text(key));
  }
  for (const absl::string_view key : {"pid", "started_ns", "taken_ns",
                                      "sample_interval", "epoch", "threads"}) {
    json.Key(key).Number(s.facts.Number(key));
  }
  json.Key("named").Bool(s.names.present());
  json.EndObject();
}

// The facts `prefix`NAME as `lead`NAME.
void WriteFactGroup(JsonWriter& json, const Snapshot& s,
                    absl::string_view prefix, absl::string_view lead) {
  for (const auto& [name, value] : s.facts.entries()) {
    if (!absl::StartsWith(name, prefix)) continue;
    json.Key(absl::StrCat(lead, name.substr(prefix.size())))
        .Number(s.facts.Number(name));
  }
}

// The part of a query that holds for a summary.
Query FilterOf(const Query& query) {
  Query filter;
  filter.filter = query.filter;
  filter.exclude = query.exclude;
  filter.syntax = query.syntax;
  return filter;
}

bool IsFiltered(const Query& query) {
  return !query.filter.empty() || !query.exclude.empty();
}

// The allocation sites that hold most or, of a pair, grew or shrank most.
void WriteTop(JsonWriter& json, absl::string_view key, const Analysis& analysis,
              Query query, Series series, bool descending) {
  query.inverted = true;
  query.series = series;
  json.Key(key).BeginArray();
  const auto table = RowTable::Build(analysis.shared_from_this(), query);
  RowRequest request;
  request.sort = RowSort::kSelf;
  request.descending = descending;
  request.limit = kTop;
  if (table.ok()) {
    const absl::StatusOr<RowPage> page = (*table)->Rows(request);
    if (page.ok()) {
      for (const Row& row : page->rows) {
        const int64_t net = row.self.net().usable;
        if (analysis.is_pair() && (descending ? net <= 0 : net >= 0)) break;
        WriteRow(json, analysis, row);
      }
    }
  }
  json.EndArray();
}

void WriteSizes(JsonWriter& json, const Analysis& analysis, Query query) {
  query.by = GroupBy::kSizeClass;
  json.Key("sizes").BeginArray();
  std::vector<Row> rows;
  const auto table = RowTable::Build(analysis.shared_from_this(), query);
  if (table.ok()) rows = (*table)->TopRows();
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.usable < b.usable; });
  for (const Row& row : rows) {
    const uint64_t usable = row.usable;
    const Values& sum = row.self;
    json.BeginObject(true);
    json.Key("usable").Number(usable);
    if (analysis.is_pair()) {
      json.Key("added");
      WriteMeasureArray(json, sum.of[0]);
      json.Key("freed");
      WriteMeasureArray(json, sum.of[1]);
      json.Key("survived");
      WriteMeasureArray(json, sum.of[2]);
    } else {
      json.Key("blocks").Number(sum.current().blocks);
      json.Key("requested").Number(sum.current().requested);
      json.Key("usable_bytes").Number(sum.current().usable);
    }
    json.EndObject();
  }
  json.EndArray();
}

void WriteReasons(JsonWriter& json, const Snapshot& s) {
  const MeasureColumns& current = s.tracebacks.current;
  Measure with_stack = SumOf(current);
  for (uint32_t id = 1; id < format::kFirstId && id < current.size(); ++id) {
    with_stack -= current[id];
  }
  json.Key("with_stack");
  WriteMeasureArray(json, with_stack);
  json.Key("reasons").BeginArray();
  for (uint32_t id = 1; id < format::kFirstId && id < current.size(); ++id) {
    if (current[id] == Measure()) continue;
    json.BeginObject(true);
    json.Key("reason").String(ReasonName(id));
    json.Key("words").String(ReasonText(id));
    json.Key("measure");
    WriteMeasureArray(json, current[id]);
    json.EndObject();
  }
  json.EndArray();
}

void WriteCoverage(JsonWriter& json, const Analysis& analysis) {
  const Snapshot& s = analysis.snapshot();
  json.Key("coverage").BeginObject();
  WriteReasons(json, s);
  std::array<uint64_t, format::kFirstId> ends = {};
  for (uint32_t id = format::kFirstId; id < s.tracebacks.size(); ++id) {
    const uint64_t blocks = s.tracebacks.current.blocks[id];
    if (blocks != 0) ends[analysis.RootOf(id)] += blocks;
  }
  json.Key("ended_early").BeginArray();
  for (uint32_t root = 0; root < ends.size(); ++root) {
    if (ends[root] == 0 || !EndedEarly(root)) continue;
    json.BeginObject(true);
    json.Key("end").String(WalkEndName(root));
    json.Key("words").String(WalkEndText(root));
    json.Key("blocks").Number(ends[root]);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteBooks(JsonWriter& json, const Snapshot& s) {
  const Books books = EvaluateBooks(s);
  json.Key("books").BeginObject(true);
  json.Key("balanced").Bool(books.balanced());
  json.Key("sentence");
  if (books.balanced()) {
    json.String(absl::StrCat(
        "Side headers, tracebacks, the process's counters and the blocks of "
        "the file agree in blocks, requested and usable bytes; jemalloc itself "
        "counts ",
        BytesText(books.jemalloc_allocated), " allocated, caches included."));
  } else if (books.faults != 0) {
    json.String(absl::StrCat("The checker found ",
                             CountOf(books.faults, "fault", "faults"),
                             ", the first of the kind ", books.first_fault,
                             ": the figures of this snapshot are doubtful."));
  } else {
    json.String(absl::StrCat(
        "The process counts ", ThousandsText(books.process.usable),
        " usable bytes, the side headers ",
        ThousandsText(books.side_headers.usable), ", the tracebacks ",
        ThousandsText(books.tracebacks.usable), ", the blocks of the file ",
        ThousandsText(books.block_columns.usable),
        ": the figures of this snapshot are doubtful."));
  }
  json.EndObject();
}

void WriteCost(JsonWriter& json, const Snapshot& s) {
  json.Key("own").BeginObject(true);
  WriteFactGroup(json, s, "own.", "");
  json.EndObject();
  json.Key("capture").BeginObject(true);
  json.Key("pause_ms")
      .Real(static_cast<double>(s.capture.Number("pause_ns")) / 1e6);
  json.Key("duration_ms")
      .Real(static_cast<double>(s.capture.Number("duration_ns")) / 1e6);
  json.Key("bytes").Number(s.capture.Number("bytes"));
  json.EndObject();
  json.Key("memory").BeginObject(true);
  json.Key("rss").Number(s.facts.Number("rss"));
  WriteFactGroup(json, s, "jemalloc.", "jemalloc_");
  json.EndObject();
}

void WriteSnapshot(JsonWriter& json, const Analysis& analysis,
                   const Query& filter, const RowTable& table) {
  const Snapshot& s = analysis.snapshot();
  json.Key("facts");
  WriteFacts(json, s);
  json.Key("totals");
  Values totals;
  totals.of = {s.FactMeasure("current"), s.FactMeasure("peak"),
               s.FactMeasure("ever")};
  totals.estimate = analysis.whole().estimate;
  if (IsFiltered(filter)) totals = table.matched();
  WriteViewValues(json, analysis, totals);
  json.Key("peak").BeginObject(true);
  json.Key("measure");
  WriteMeasureArray(json, totals.at_peak());
  json.Key("bound").Number(s.facts.Number("peak_bound"));
  json.EndObject();
  WriteTop(json, "peak_top", analysis, filter, Series::kAtPeak, true);
  WriteTop(json, "top", analysis, filter, Series::kCurrent, true);
  WriteSizes(json, analysis, filter);
  WriteCoverage(json, analysis);
  WriteCost(json, s);
  WriteBooks(json, s);
  json.Key("missing").BeginArray();
  for (const MissingModule& missing : s.names.missing) {
    json.BeginObject(true);
    json.Key("module").String(missing.module);
    json.Key("hint").String(missing.hint);
    json.EndObject();
  }
  json.EndArray();
}

void WritePair(JsonWriter& json, const Analysis& analysis, const Query& filter,
               const RowTable& table) {
  json.Key("facts").BeginObject();
  json.Key("baseline");
  WriteFacts(json, *analysis.baseline());
  json.Key("comparison");
  WriteFacts(json, analysis.snapshot());
  json.EndObject();
  json.Key("matched_by").String(MatchedByName(analysis.matched_by()));
  json.Key("totals");
  WriteViewValues(json, analysis, table.matched());
  WriteTop(json, "grown", analysis, filter, Series::kCurrent, true);
  WriteTop(json, "shrunk", analysis, filter, Series::kCurrent, false);
  WriteSizes(json, analysis, filter);
}

}  // namespace

absl::Status SummaryJson(const Analysis& analysis, const Query& query,
                         std::ostream& out) {
  const Query filter = FilterOf(query);
  const auto table = RowTable::Build(analysis.shared_from_this(), filter);
  if (!table.ok()) return table.status();
  JsonWriter json(out);
  json.BeginObject();
  json.Key("kind").String(analysis.is_pair() ? "comparison" : "snapshot");
  json.Key("filter").Bool(IsFiltered(filter));
  analysis.is_pair() ? WritePair(json, analysis, filter, **table)
                     : WriteSnapshot(json, analysis, filter, **table);
  json.Key("notes").BeginArray();
  for (const std::string& note : analysis.notes()) json.String(note);
  json.EndArray();
  json.EndObject();
  return absl::OkStatus();
}

}  // namespace heaptally
