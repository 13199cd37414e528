// Single blocks and single stacks as JSON.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "snapshot/individuals.h"
#include "snapshot/json_writer.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"
#include "snapshot/view_json.h"
#include "snapshot/view_parts.h"

namespace heaptally {
namespace {

std::string HexText(uint64_t address) {
  return absl::StrFormat("0x%x", address);
}

void WriteBlock(JsonWriter& json, const Analysis& analysis,
                const Individual& individual) {
  static constexpr absl::string_view kChanges[] = {"", "new", "freed",
                                                   "survived"};
  const Snapshot& s =
      individual.of_baseline ? *analysis.baseline() : analysis.snapshot();
  const size_t i = individual.block;
  json.BeginObject(true);
  json.Key("address").String(HexText(s.blocks.address[i]));
  json.Key("requested").Number(s.blocks.requested[i]);
  json.Key("usable").Number(s.blocks.usable[i]);
  json.Key("epoch").Number(s.blocks.epoch[i]);
  json.Key("age").Number(AgeOf(s, i));
  json.Key("traceback").Number(s.blocks.traceback[i]);
  json.Key("side").String(individual.of_baseline ? "baseline" : "comparison");
  json.Key("change");
  if (individual.change == BlockChange::kNone) {
    json.Null();
  } else {
    json.String(kChanges[static_cast<int>(individual.change)]);
  }
  json.EndObject();
}

// A stack as people paste it, innermost first.
void AppendLine(const Frame& frame, bool inlined, std::string& text) {
  absl::StrAppend(&text, SafeText(frame.function));
  if (!frame.file.empty()) {
    absl::StrAppend(&text, "  ", SafeText(frame.file));
    if (frame.line != 0) absl::StrAppend(&text, ":", frame.line);
  }
  if (!frame.module.empty()) {
    absl::StrAppend(&text, "  (", SafeText(frame.module), ")");
  }
  absl::StrAppend(&text, inlined ? "  inlined\n" : "\n");
}

}  // namespace

absl::StatusOr<IndividualsRequest> ParseIndividualsRequest(
    Parameters parameters) {
  IndividualsRequest request;
  request.path = std::string(Parameter(parameters, "path"));
  // By stack a row is all that passes through it.
  const bool by_stack = Parameter(parameters, "by", "stack") == "stack";
  const auto part =
      WordParameter(parameters, "part", {"total", "self"}, by_stack ? 0 : 1);
  if (!part.ok()) return part.status();
  request.self = *part == 1;
  const auto sort = WordParameter(parameters, "sort",
                                  {"address", "requested", "usable", "age"}, 0);
  if (!sort.ok()) return sort.status();
  request.sort = static_cast<BlockSort>(*sort);
  const auto descending =
      SwitchParameter(parameters, "desc", request.sort != BlockSort::kAddress);
  if (!descending.ok()) return descending.status();
  request.descending = *descending;
  const auto offset = NumberParameter(parameters, "offset", 0, UINT32_MAX);
  if (!offset.ok()) return offset.status();
  request.offset = *offset;
  const auto limit = NumberParameter(parameters, "limit", 100, kMostRows);
  if (!limit.ok()) return limit.status();
  request.limit = *limit;
  return request;
}

absl::Status IndividualsJson(RowTable& table, const IndividualsRequest& request,
                             std::ostream& out) {
  const absl::StatusOr<RowTable::Selection> selection =
      table.Select(request.path, request.self);
  if (!selection.ok()) return selection.status();
  const IndividualPage page =
      FindIndividuals(table.analysis(), *selection, request);
  JsonWriter json(out);
  json.BeginObject();
  json.Key("total").Number(page.total);
  json.Key("rows").BeginArray();
  for (const Individual& individual : page.blocks) {
    WriteBlock(json, table.analysis(), individual);
  }
  json.EndArray();
  json.EndObject();
  return absl::OkStatus();
}

absl::StatusOr<StackRequest> ParseStackRequest(Parameters parameters) {
  StackRequest request;
  const auto traceback =
      NumberParameter(parameters, "traceback", 0, UINT32_MAX);
  if (!traceback.ok()) return traceback.status();
  request.traceback = static_cast<uint32_t>(*traceback);
  const auto side =
      WordParameter(parameters, "side", {"comparison", "baseline"}, 0);
  if (!side.ok()) return side.status();
  request.baseline = *side == 1;
  return request;
}

absl::Status StackJson(const Analysis& analysis, const StackRequest& request,
                       std::ostream& out) {
  const bool baseline = request.baseline && analysis.is_pair();
  const Snapshot& s = baseline ? *analysis.baseline() : analysis.snapshot();
  const SnapshotFrames& frames =
      baseline ? *analysis.baseline_frames() : *analysis.frames();
  const uint32_t id = request.traceback;
  if (id == 0 || id >= s.tracebacks.size()) {
    return absl::NotFoundError(
        absl::StrCat("there is no traceback ", id, " in ", SafeText(s.path)));
  }
  JsonWriter json(out);
  std::string text;
  json.BeginObject();
  json.Key("frames").BeginArray();
  for (uint32_t node = s.tracebacks.node[id]; node >= format::kFirstId;
       node = s.nodes.parent[node]) {
    for (const FrameRef ref : frames.OfNode(node)) {
      const Frame& frame = analysis.table()[ref];
      json.BeginObject(true);
      WriteFrameFields(json, frame, ref.inlined);
      json.Key("address").String(HexText(s.nodes.pc[node] & format::kPcMask));
      json.EndObject();
      AppendLine(frame, ref.inlined, text);
    }
  }
  json.EndArray();
  const uint32_t root = frames.RootOfTraceback(id);
  json.Key("end").String(WalkEndName(root));
  json.Key("reason");
  if (root != 0) {
    json.Null();
    if (EndedEarly(root)) {
      absl::StrAppend(&text, "(the stack goes on: ", WalkEndText(root), ")\n");
    }
  } else {
    const uint32_t reason = id < format::kFirstId ? id : 0;
    json.String(ReasonText(reason));
    absl::StrAppend(&text, "(", ReasonText(reason), ")\n");
  }
  json.Key("text").String(text);
  json.EndObject();
  return absl::OkStatus();
}

}  // namespace heaptally
