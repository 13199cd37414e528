#include "snapshot/snapshot.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace heaptally {

Names Names::FromTable(NameTable table) {
  Names names;
  names.strings = std::move(table.strings_);
  names.location_begin = std::move(table.location_begin_);
  names.function = std::move(table.function_);
  names.file = std::move(table.file_);
  names.line = std::move(table.line_);
  names.flags = std::move(table.flags_);
  names.module = std::move(table.module_);
  names.missing = std::move(table.missing_);
  return names;
}

Measure Snapshot::FactMeasure(absl::string_view prefix) const {
  return {facts.Number(absl::StrCat(prefix, ".blocks")),
          facts.Number(absl::StrCat(prefix, ".requested")),
          facts.Number(absl::StrCat(prefix, ".usable"))};
}

bool Snapshot::Sampled() const {
  return std::any_of(recording.begin(), recording.end(),
                     [](const format::RecordingEntry& entry) {
                       return entry.mode == format::kSampled;
                     });
}

absl::string_view ReasonName(uint32_t traceback) {
  static constexpr absl::string_view kNames[format::kFirstId] = {
      "",
      "before_recording",
      "sampled_out",
      "below_min_size",
      "walk_failed",
      "table_full",
      "in_signal_handler",
      "reason_7",
      "reason_8",
      "reason_9",
      "reason_10",
      "reason_11",
      "reason_12",
      "reason_13",
      "reason_14",
      "reason_15",
  };
  return traceback < format::kFirstId ? kNames[traceback] : "";
}

absl::string_view WalkEndName(uint32_t root) {
  static constexpr absl::string_view kNames[] = {
      "", "complete", "depth_limit", "no_rule", "bad_frame", "foreign_stack"};
  return root < std::size(kNames) ? kNames[root] : "unknown";
}

bool EndedEarly(uint32_t root) { return root > 1; }

}  // namespace heaptally
