#include "integration/view/state_json.h"

#include <set>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "integration/view/json_parts.h"
#include "integration/view/sentence.h"
#include "snapshot/json_writer.h"

namespace heaptally::view {
namespace {

const char* NameOf(EntryState state) {
  return state == EntryState::kPending ? "pending"
         : state == EntryState::kReady ? "ready"
                                       : "bad";
}

const char* NameOf(TaskKind kind) {
  return kind == TaskKind::kTake   ? "take"
         : kind == TaskKind::kLoad ? "load"
                                   : "open";
}

const char* NameOf(TaskState state) {
  switch (state) {
    case TaskState::kRunning:
      return "running";
    case TaskState::kDone:
      return "done";
    case TaskState::kFailed:
      return "failed";
    case TaskState::kCancelled:
      return "cancelled";
  }
  return "";
}

struct PhaseWords {
  const char* name;
  const char* unit;
};

PhaseWords WordsOf(TaskPhase phase) {
  switch (phase) {
    case TaskPhase::kWaiting:
      return {"waiting", "bytes"};
    case TaskPhase::kCapturing:
      return {"capturing", "bytes"};
    case TaskPhase::kReading:
      return {"reading", "bytes"};
    case TaskPhase::kNaming:
      return {"naming", "addresses"};
    case TaskPhase::kPacking:
      return {"packing", "bytes"};
    case TaskPhase::kPreparing:
      return {"preparing", "blocks"};
  }
  return {"", ""};
}

void WriteFault(const EntryFault& fault, JsonWriter& json) {
  json.BeginObject(true);
  json.Key("sentence").String(fault.sentence);
  WriteTextOrNull(json.Key("section"), fault.section);
  json.Key("offset");
  if (fault.offset.has_value()) {
    json.Number(*fault.offset);
  } else {
    json.Null();
  }
  WriteTextOrNull(json.Key("advice"), fault.advice);
  json.EndObject();
}

// `above`: the last ready one before it; null if there is none.
void WriteEntry(const Entry& entry, const Entry* above, JsonWriter& json) {
  const EntryFacts& facts = entry.facts;
  json.BeginObject(true);
  json.Key("id").String(entry.id);
  json.Key("name").String(entry.name);
  json.Key("note").String(entry.note);
  json.Key("state").String(NameOf(entry.state));
  json.Key("error");
  if (entry.fault.has_value()) {
    WriteFault(*entry.fault, json);
  } else {
    json.Null();
  }
  json.Key("saved").Bool(entry.saved());
  WriteTextOrNull(json.Key("path"), entry.path);
  json.Key("file_bytes").Number(entry.stamp.bytes);
  json.Key("pid").Number(facts.pid);
  json.Key("command").String(facts.command);
  json.Key("process_id").String(facts.process_id);
  json.Key("taken_ns").Number(facts.taken_ns);
  json.Key("mode").String(facts.mode);
  json.Key("epoch").Number(facts.epoch);
  WriteMeasure(json.Key("total"), facts.total);
  WriteMeasure(json.Key("peak"), facts.peak);
  json.Key("delta");
  if (above != nullptr && entry.state == EntryState::kReady) {
    WriteMeasure(json, Net(facts.total, above->facts.total));
  } else {
    json.Null();
  }
  json.Key("named").Bool(facts.named);
  json.Key("balanced").Bool(facts.balanced);
  WriteTextOrNull(json.Key("task"), entry.task);
  json.EndObject();
}

void WriteTask(const Task& task, JsonWriter& json) {
  const TaskState state = task.state();
  const Task::Progress progress = task.progress();
  const PhaseWords words = WordsOf(progress.phase);
  json.BeginObject(true);
  json.Key("id").String(task.id());
  json.Key("kind").String(NameOf(task.subject().kind));
  json.Key("title").String(task.subject().title);
  json.Key("phase").String(words.name);
  json.Key("done").Number(progress.done);
  json.Key("total");
  if (progress.total.has_value()) {
    json.Number(*progress.total);
  } else {
    json.Null();
  }
  json.Key("unit").String(words.unit);
  json.Key("elapsed_ms").Signed(task.elapsed().count());
  json.Key("state").String(NameOf(state));
  json.Key("error");
  if (state == TaskState::kFailed) {
    json.String(Sentence(task.error()));
  } else {
    json.Null();
  }
  WriteTextOrNull(json.Key("entry"), task.subject().entry);
  WriteTextOrNull(json.Key("of"), task.subject().of);
  json.EndObject();
}

void WriteEntries(const std::vector<Entry>& entries, JsonWriter& json) {
  json.BeginArray();
  const Entry* above = nullptr;
  for (const Entry& entry : entries) {
    WriteEntry(entry, above, json);
    if (entry.state == EntryState::kReady) above = &entry;
  }
  json.EndArray();
}

}  // namespace

void WriteStateJson(Session& session, std::ostream& out) {
  session.Tidy();
  // Tasks before entries: one that has ended has its entry in the list.
  const std::vector<std::shared_ptr<Task>> tasks = session.tasks().All();
  const std::vector<Entry> entries = session.entries().All();
  std::set<std::string> with_entries;
  uint64_t unsaved = 0;
  for (const Entry& entry : entries) {
    with_entries.insert(entry.facts.process_id);
    unsaved += entry.unsaved();
  }
  JsonWriter json(out);
  json.BeginObject();
  json.Key("version").String(session.version());
  json.Key("now_ns").Signed(absl::GetCurrentTimeNanos());
  json.Key("session").BeginObject(true);
  json.Key("folder").String(session.folder().path());
  json.Key("unsaved").Number(unsaved);
  json.EndObject();
  session.processes().WriteJson(with_entries, json.Key("processes"));
  WriteEntries(entries, json.Key("entries"));
  json.Key("tasks").BeginArray();
  for (const auto& task : tasks) WriteTask(*task, json);
  json.EndArray();
  json.Key("sources").BeginArray(true);
  for (const std::string& folder : session.sources().folders()) {
    json.String(folder);
  }
  json.EndArray();
  WriteTextOrNull(json.Key("recovered"), session.folder().recovered());
  json.EndObject();
}

}  // namespace heaptally::view
