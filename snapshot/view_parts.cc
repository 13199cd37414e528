#include "snapshot/view_parts.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "snapshot/text_format.h"

namespace heaptally {
namespace {

absl::string_view KindName(RowKind kind) {
  static constexpr absl::string_view kNames[] = {"frame", "group", "reason"};
  return kNames[static_cast<int>(kind)];
}

// What a row is called and where it is in the source, as far as it is one
// place.
Frame FrameOfRow(const Analysis& analysis, const Row& row) {
  Frame frame;
  if (row.kind == RowKind::kFrame) return analysis.table()[row.id];
  frame.function = row.name;
  if (row.kind == RowKind::kReason || row.by == GroupBy::kSizeClass) {
    return frame;
  }
  const FrameGroups& groups = analysis.Groups(row.by);
  const Frame& first = analysis.table()[groups.FrameOf(row.id)];
  frame.module = first.module;
  if (row.by == GroupBy::kModule) return frame;
  frame.file = first.file;
  if (row.by != GroupBy::kFile) frame.line = first.line;
  return frame;
}

}  // namespace

void WriteMeasureArray(JsonWriter& json, const Measure& m) {
  json.BeginArray(true);
  json.Number(m.blocks);
  json.Number(m.requested);
  json.Number(m.usable);
  json.EndArray();
}

void WriteViewValues(JsonWriter& json, const Analysis& analysis,
                     const Values& values, bool only_current) {
  static constexpr absl::string_view kNames[2][3] = {
      {"current", "at_peak", "ever"}, {"added", "freed", "survived"}};
  json.BeginObject(true);
  const bool one = only_current && !analysis.is_pair();
  for (size_t i = 0; i < (one ? 1 : values.of.size()); ++i) {
    json.Key(kNames[analysis.is_pair() ? 1 : 0][i]);
    WriteMeasureArray(json, values.of[i]);
  }
  if (analysis.is_pair()) {
    const NetMeasure net = values.net();
    json.Key("net").BeginArray();
    json.Signed(net.blocks);
    json.Signed(net.requested);
    json.Signed(net.usable);
    json.EndArray();
  } else if (analysis.estimated()) {
    json.Key("estimated").BeginArray();
    json.Real(values.estimate.blocks);
    json.Real(values.estimate.requested);
    json.Real(values.estimate.usable);
    json.EndArray();
  }
  json.EndObject();
}

void WriteFrameFields(JsonWriter& json, const Frame& frame, bool inlined) {
  json.Key("name").String(frame.function);
  json.Key("short").String(FoldTemplates(frame.function));
  json.Key("file").String(frame.file);
  json.Key("line").Number(frame.line);
  json.Key("module").String(frame.module);
  json.Key("inlined").Bool(inlined);
}

void WriteRowHead(JsonWriter& json, const Analysis& analysis, const Row& row) {
  json.Key("key").String(row.key);
  json.Key("kind").String(KindName(row.kind));
  Frame frame = FrameOfRow(analysis, row);
  std::string size;
  if (row.kind == RowKind::kGroup && row.by == GroupBy::kSizeClass) {
    size = BytesText(row.usable);
    frame.function = size;
  }
  WriteFrameFields(json, frame, row.inlined);
}

void WriteRow(JsonWriter& json, const Analysis& analysis, const Row& row,
              bool only_current) {
  json.BeginObject(true);
  WriteRowHead(json, analysis, row);
  json.Key("self");
  WriteViewValues(json, analysis, row.self, only_current);
  json.Key("total");
  WriteViewValues(json, analysis, row.total, only_current);
  json.Key("children").Number(row.children);
  json.Key("tracebacks").Number(row.tracebacks);
  json.EndObject();
}

absl::StatusOr<uint64_t> NumberParameter(Parameters parameters,
                                         absl::string_view name,
                                         uint64_t fallback, uint64_t most) {
  const absl::string_view text = Parameter(parameters, name);
  if (text.empty()) return fallback;
  uint64_t number = 0;
  if (absl::SimpleAtoi(text, &number) && number <= most) return number;
  return absl::InvalidArgumentError(
      absl::StrCat(name, " cannot be '", SafeText(text),
                   "'; take a number up to ", ThousandsText(most)));
}

absl::StatusOr<size_t> WordParameter(Parameters parameters,
                                     absl::string_view name,
                                     absl::Span<const absl::string_view> words,
                                     size_t fallback) {
  const absl::string_view value = Parameter(parameters, name);
  if (value.empty()) return fallback;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == value) return i;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, " cannot be '", SafeText(value), "'; take ",
                   absl::StrJoin(words.subspan(0, words.size() - 1), ", "),
                   " or ", words.back()));
}

absl::StatusOr<bool> SwitchParameter(Parameters parameters,
                                     absl::string_view name, bool fallback) {
  const absl::StatusOr<size_t> word =
      WordParameter(parameters, name, {"0", "1"}, fallback ? 1 : 0);
  if (!word.ok()) return word.status();
  return *word == 1;
}

}  // namespace heaptally
