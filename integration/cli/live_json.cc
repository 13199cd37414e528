#include <string>

#include "absl/strings/str_cat.h"
#include "integration/cli/live_facts.h"
#include "snapshot/json_writer.h"
#include "snapshot/text_format.h"

namespace heaptally::cli {
namespace {

using control::FactAsNumber;
using control::Facts;

void Number(JsonWriter& json, absl::string_view key, uint64_t value) {
  json.Key(key).Number(value);
}

void Text(JsonWriter& json, absl::string_view key, const Facts& facts,
          const std::string& fact) {
  const auto found = facts.find(fact);
  json.Key(key).String(found == facts.end() ? "" : found->second);
}

// `name`: {"blocks", "requested", "usable"}.
void Tally(JsonWriter& json, const Facts& facts, const std::string& name) {
  json.Key(name).BeginObject(true);
  for (const std::string field : {"blocks", "requested", "usable"}) {
    Number(json, field, FactAsNumber(facts, absl::StrCat(name, ".", field)));
  }
  json.EndObject();
}

void Moment(JsonWriter& json, absl::string_view key, const Facts& facts,
            const std::string& fact) {
  json.Key(key).String(IsoTime(FactAsNumber(facts, fact)));
}

void Process(JsonWriter& json, const Facts& facts) {
  Number(json, "pid", FactAsNumber(facts, "pid"));
  Text(json, "command", facts, "command");
  Moment(json, "started", facts, "started_ns");
  Moment(json, "taken", facts, "taken_ns");
}

}  // namespace

void StatJson(const Facts& facts, std::ostream& out) {
  JsonWriter json(out);
  json.BeginObject(true);
  json.Key("process").BeginObject(true);
  Process(json, facts);
  Number(json, "parent", FactAsNumber(facts, "ppid"));
  Text(json, "exe", facts, "exe");
  Number(json, "threads", FactAsNumber(facts, "threads"));
  json.EndObject();
  Text(json, "mode", facts, "mode");
  Number(json, "sample_interval", FactAsNumber(facts, "sample_interval"));
  Number(json, "epoch", FactAsNumber(facts, "epoch"));
  json.Key("totals").BeginObject(true);
  for (const char* name : {"current", "peak", "ever"}) Tally(json, facts, name);
  json.EndObject();
  Number(json, "peak_bound", FactAsNumber(facts, "peak_bound"));
  json.Key("own_memory").BeginObject(true);
  for (const std::string part : {"total", "side_headers", "page_map",
                                 "tracebacks", "threads", "other"}) {
    Number(json, part, FactAsNumber(facts, "own." + part));
  }
  json.EndObject();
  Number(json, "tracebacks", FactAsNumber(facts, "tracebacks_count"));
  Number(json, "rss", FactAsNumber(facts, "rss"));
  Text(json, "runtime_version", facts, "runtime_version");
  json.EndObject();
}

void ProcessesJson(absl::Span<const Facts> processes, std::ostream& out) {
  JsonWriter json(out);
  json.BeginObject();
  json.Key("processes").BeginArray();
  for (const Facts& facts : processes) {
    json.BeginObject(true);
    Process(json, facts);
    Text(json, "mode", facts, "mode");
    Number(json, "sample_interval", FactAsNumber(facts, "sample_interval"));
    Tally(json, facts, "current");
    Tally(json, facts, "peak");
    Number(json, "own_memory", FactAsNumber(facts, "own.total"));
    Number(json, "rss", FactAsNumber(facts, "rss"));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void RecordJson(uint64_t pid, const Facts& reply, std::ostream& out) {
  JsonWriter json(out);
  json.BeginObject(true);
  Number(json, "pid", pid);
  Text(json, "mode", reply, "mode");
  Number(json, "sample_interval", FactAsNumber(reply, "sample_interval"));
  Number(json, "epoch", FactAsNumber(reply, "epoch"));
  json.EndObject();
}

void ResetPeakJson(const Facts& facts, std::ostream& out) {
  JsonWriter json(out);
  json.BeginObject(true);
  Number(json, "pid", FactAsNumber(facts, "pid"));
  Tally(json, facts, "current");
  Tally(json, facts, "peak");
  json.EndObject();
}

}  // namespace heaptally::cli
