// The report of a snapshot as JSON. Thread-safe.
#include <vector>

#include "absl/strings/match.h"
#include "snapshot/books.h"
#include "snapshot/census.h"
#include "snapshot/json_parts.h"
#include "snapshot/json_writer.h"
#include "snapshot/report.h"
#include "snapshot/text_format.h"

namespace heaptally {
namespace {

void WriteTotals(JsonWriter& json, const Snapshot& s) {
  json.Key("totals").BeginObject();
  for (const absl::string_view which : {"current", "peak", "ever"}) {
    WriteMeasure(json, which, s.FactMeasure(which));
  }
  json.EndObject();
  json.Key("peak_bound").Number(s.facts.Number("peak_bound"));
}

void WriteBooks(JsonWriter& json, const Snapshot& s) {
  const Books books = EvaluateBooks(s);
  json.Key("books").BeginObject();
  json.Key("balanced").Bool(books.balanced());
  WriteMeasure(json, "side_headers", books.side_headers);
  WriteMeasure(json, "tracebacks", books.tracebacks);
  WriteMeasure(json, "process", books.process);
  WriteMeasure(json, "block_columns", books.block_columns);
  WriteMeasure(json, "traceback_columns", books.traceback_columns);
  json.Key("jemalloc_allocated").Number(books.jemalloc_allocated);
  json.Key("faults").Number(books.faults);
  json.Key("first_fault").String(books.first_fault);
  json.Key("cached_blocks").Number(s.facts.Number("cached_blocks"));
  json.EndObject();
}

void WriteCost(JsonWriter& json, const Snapshot& s) {
  json.Key("cost").BeginObject(true);
  json.Key("pause_ms")
      .Real(static_cast<double>(s.capture.Number("pause_ns")) / 1e6);
  json.Key("duration_ms")
      .Real(static_cast<double>(s.capture.Number("duration_ns")) / 1e6);
  json.Key("bytes").Number(s.capture.Number("bytes"));
  json.Key("method").String(s.capture.Text("method"));
  json.Key("quiesced").Bool(s.capture.Number("quiesced") != 0);
  json.EndObject();
}

// All facts `prefix`.NAME as NAME.
void WriteFactGroup(JsonWriter& json, absl::string_view key,
                    absl::string_view prefix, const Snapshot& s) {
  json.Key(key).BeginObject(true);
  for (const auto& [name, value] : s.facts.entries()) {
    if (!absl::StartsWith(name, prefix)) continue;
    json.Key(absl::string_view(name).substr(prefix.size()))
        .Number(s.facts.Number(name));
  }
  json.EndObject();
}

void WriteCoverage(JsonWriter& json, const Snapshot& s) {
  json.Key("coverage").BeginObject();
  for (const absl::string_view key :
       {"foreign_frees", "foreign_reallocs", "nested_allocations",
        "epoch_saturated", "table_full_blocks"}) {
    json.Key(key).Number(s.facts.Number(key));
  }
  json.Key("without_stack").BeginObject(true);
  for (uint32_t id = 1; id < format::kFirstId && id < s.tracebacks.size();
       ++id) {
    const uint64_t blocks = s.tracebacks.current.blocks[id];
    if (blocks != 0) json.Key(ReasonName(id)).Number(blocks);
  }
  json.EndObject();
  WriteFactGroup(json, "walks", "walks.", s);
  json.EndObject();
}

void WriteEstimate(JsonWriter& json, const Estimate& estimate) {
  json.Key("estimated_blocks").Real(estimate.blocks);
  json.Key("estimated_requested").Real(estimate.requested);
  json.Key("estimated_usable").Real(estimate.usable);
}

void WriteValues(JsonWriter& json, const Census& census,
                 const CensusValues& values) {
  json.Key("blocks").Number(values.current.blocks);
  json.Key("requested").Number(values.current.requested);
  json.Key("usable").Number(values.current.usable);
  if (census.options.by == GroupBy::kSizeClass) return;
  json.Key("at_peak_blocks").Number(values.at_peak.blocks);
  json.Key("at_peak_requested").Number(values.at_peak.requested);
  json.Key("at_peak_usable").Number(values.at_peak.usable);
  json.Key("ever_blocks").Number(values.ever.blocks);
  json.Key("ever_requested").Number(values.ever.requested);
  json.Key("ever_usable").Number(values.ever.usable);
  if (census.estimated) WriteEstimate(json, values.estimate);
}

void WriteTracebacks(JsonWriter& json, const Snapshot& s,
                     const Census& census) {
  json.Key("tracebacks").BeginArray();
  std::vector<FrameRef> frames;
  for (const CensusGroup& group : census.groups) {
    json.BeginObject();
    json.Key("id").Number(group.traceback);
    WriteValues(json, census, group.self);
    if (group.reason != 0) {
      json.Key("reason").String(group.name);
    } else {
      json.Key("own_peak_usable")
          .Number(s.tracebacks.own_peak.usable[group.traceback]);
      json.Key("walk_end")
          .String(WalkEndName(census.frames->RootOfTraceback(group.traceback)));
    }
    frames.clear();
    census.frames->AppendTraceback(group.traceback, frames);
    WriteFrames(json, *census.table, frames);
    json.EndObject();
  }
  json.EndArray();
}

// The list of tracebacks stays, empty: it is what programs look for.
void WriteGroups(JsonWriter& json, const Census& census) {
  json.Key("tracebacks").BeginArray(true);
  json.EndArray();
  json.Key("groups").BeginArray();
  for (const CensusGroup& group : census.groups) {
    json.BeginObject(true);
    json.Key("name").String(group.name);
    WriteValues(json, census, group.self);
    if (census.options.by != GroupBy::kSizeClass) {
      json.Key("total").BeginObject();
      WriteValues(json, census, group.total);
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
}

void WriteOmitted(JsonWriter& json, const Census& census) {
  json.Key("omitted").BeginObject(true);
  const bool by_traceback = census.options.by == GroupBy::kTraceback;
  json.Key("tracebacks").Number(by_traceback ? census.omitted_groups : 0);
  json.Key("groups").Number(by_traceback ? 0 : census.omitted_groups);
  json.Key("blocks").Number(census.omitted.current.blocks);
  json.Key("requested").Number(census.omitted.current.requested);
  json.Key("usable").Number(census.omitted.current.usable);
  json.EndObject();
}

}  // namespace

absl::Status ReportJson(const Snapshot& s, const ReportOptions& options,
                        std::ostream& out) {
  const absl::StatusOr<Census> census = TakeCensus(s, options);
  if (!census.ok()) return census.status();
  JsonWriter json(out);
  json.BeginObject();
  WriteSnapshotHead(json, s);
  WriteTotals(json, s);
  WriteBooks(json, s);
  WriteCost(json, s);
  WriteFactGroup(json, "own_memory", "own.", s);
  WriteCoverage(json, s);
  WriteMissing(json, s);
  json.Key("by").String(GroupByName(options.by));
  json.Key("peak").Bool(options.peak);
  json.Key("filter").String(options.filter);
  json.Key("exclude").String(options.exclude);
  json.Key("estimated").Bool(census->estimated);
  json.Key("matched").BeginObject(true);
  WriteValues(json, *census, census->matched);
  json.EndObject();
  if (options.by == GroupBy::kTraceback) {
    WriteTracebacks(json, s, *census);
  } else {
    WriteGroups(json, *census);
  }
  WriteOmitted(json, *census);
  json.EndObject();
  return absl::OkStatus();
}

}  // namespace heaptally
