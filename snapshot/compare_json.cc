// A comparison as JSON. Thread-safe.
#include "snapshot/compare.h"
#include "snapshot/json_parts.h"
#include "snapshot/json_writer.h"

namespace heaptally {
namespace {

void WriteChange(JsonWriter& json, const Change& change) {
  WriteMeasure(json, "new", change.added);
  WriteMeasure(json, "freed", change.freed);
  WriteMeasure(json, "survived", change.survived);
  const NetMeasure net = change.net();
  json.Key("net").BeginObject(true);
  json.Key("blocks").Signed(net.blocks);
  json.Key("requested").Signed(net.requested);
  json.Key("usable").Signed(net.usable);
  json.EndObject();
}

void WriteGroup(JsonWriter& json, const Comparison& result,
                const ComparedGroup& group) {
  json.BeginObject();
  if (result.options.by == GroupBy::kTraceback) {
    json.Key("baseline_id").Number(group.baseline_traceback);
    json.Key("comparison_id").Number(group.comparison_traceback);
    if (group.reason != 0) {
      json.Key("reason").String(group.name);
    } else {
      json.Key("walk_end").String(WalkEndName(result.RootOf(group)));
    }
  } else {
    json.Key("name").String(group.name);
  }
  WriteChange(json, group.change);
  if (result.options.by == GroupBy::kTraceback) {
    WriteFrames(json, *result.table, result.FramesOf(group));
  }
  json.EndObject();
}

}  // namespace

void ComparisonJson(const Snapshot& baseline, const Snapshot& comparison,
                    const Comparison& result, std::ostream& out) {
  const bool by_traceback = result.options.by == GroupBy::kTraceback;
  JsonWriter json(out);
  json.BeginObject();
  json.Key("matched_by").String(MatchedByName(result.matched_by));
  json.Key("by").String(GroupByName(result.options.by));
  json.Key("filter").String(result.options.filter);
  json.Key("exclude").String(result.options.exclude);
  json.Key("baseline").BeginObject();
  WriteSnapshotHead(json, baseline);
  WriteMeasure(json, "current", result.baseline);
  json.EndObject();
  json.Key("comparison").BeginObject();
  WriteSnapshotHead(json, comparison);
  WriteMeasure(json, "current", result.comparison);
  json.EndObject();
  json.Key("totals").BeginObject();
  WriteChange(json, result.totals);
  json.EndObject();
  json.Key("resized").Number(result.resized);
  json.Key("notes").BeginArray();
  for (const std::string& note : result.notes) json.String(note);
  json.EndArray();
  // The list of tracebacks is always there: it is what programs look for.
  if (!by_traceback) {
    json.Key("tracebacks").BeginArray(true);
    json.EndArray();
  }
  json.Key(by_traceback ? "tracebacks" : "groups").BeginArray();
  for (const ComparedGroup& group : result.groups) {
    WriteGroup(json, result, group);
  }
  json.EndArray();
  json.Key("omitted").BeginObject();
  json.Key("tracebacks").Number(by_traceback ? result.omitted_groups : 0);
  json.Key("groups").Number(by_traceback ? 0 : result.omitted_groups);
  json.Key("changed").Number(result.omitted_changed);
  WriteChange(json, result.omitted);
  json.EndObject();
  json.EndObject();
}

}  // namespace heaptally
