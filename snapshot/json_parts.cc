#include "snapshot/json_parts.h"

#include "snapshot/text_format.h"

namespace heaptally {

void WriteMeasure(JsonWriter& json, absl::string_view key, const Measure& m) {
  json.Key(key).BeginObject(true);
  json.Key("blocks").Number(m.blocks);
  json.Key("requested").Number(m.requested);
  json.Key("usable").Number(m.usable);
  json.EndObject();
}

void WriteFrames(JsonWriter& json, const FrameTable& table,
                 absl::Span<const FrameRef> frames) {
  json.Key("frames").BeginArray();
  for (const FrameRef ref : frames) {
    const Frame& frame = table[ref];
    json.BeginObject(true);
    json.Key("function").String(frame.function);
    json.Key("file").String(frame.file);
    json.Key("line").Number(frame.line);
    json.Key("module").String(frame.module);
    json.Key("inlined").Bool(ref.inlined);
    json.EndObject();
  }
  json.EndArray();
}

void WriteSnapshotHead(JsonWriter& json, const Snapshot& s) {
  json.Key("file").String(s.path);
  json.Key("label").String(s.notes.Text("label"));
  json.Key("process").BeginObject();
  json.Key("pid").Number(s.facts.Number("pid"));
  json.Key("command").String(s.facts.Text("command"));
  json.Key("exe").String(s.facts.Text("exe"));
  json.Key("host").String(s.facts.Text("host"));
  json.Key("process_id").String(s.process_id());
  json.Key("started").String(IsoTime(s.facts.Number("started_ns")));
  json.Key("taken").String(IsoTime(s.facts.Number("taken_ns")));
  json.Key("threads").Number(s.facts.Number("threads"));
  json.Key("rss").Number(s.facts.Number("rss"));
  json.EndObject();
  json.Key("mode").String(s.mode());
  json.Key("sample_interval").Number(s.facts.Number("sample_interval"));
  json.Key("epoch").Number(s.epoch());
  json.Key("named").Bool(s.names.present());
}

void WriteMissing(JsonWriter& json, const Snapshot& s) {
  json.Key("missing_names").BeginArray();
  for (const MissingModule& missing : s.names.missing) {
    json.BeginObject(true);
    json.Key("module").String(missing.module);
    json.Key("build_id").String(missing.build_id);
    json.Key("hint").String(missing.hint);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace heaptally
