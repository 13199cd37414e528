// The parts that the JSON of rows, trees and summaries share, and the reading
// of their parameters. Not for two threads on one writer.
#ifndef HEAPTALLY_SNAPSHOT_VIEW_PARTS_H_
#define HEAPTALLY_SNAPSHOT_VIEW_PARTS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "snapshot/analysis.h"
#include "snapshot/json_writer.h"
#include "snapshot/query.h"
#include "snapshot/row_table.h"

namespace heaptally {

// [blocks, requested, usable].
void WriteMeasureArray(JsonWriter& json, const Measure& m);
// {"current", "at_peak", "ever"} or {"added", "freed", "survived", "net"}; of
// a snapshot with sampled stacks also "estimated", what current stands for.
void WriteViewValues(JsonWriter& json, const Analysis& analysis,
                     const Values& values, bool only_current = false);
// "name", "short", "file", "line", "module", "inlined".
void WriteFrameFields(JsonWriter& json, const Frame& frame, bool inlined);
// "key", "kind" and the fields of a frame.
void WriteRowHead(JsonWriter& json, const Analysis& analysis, const Row& row);
void WriteRow(JsonWriter& json, const Analysis& analysis, const Row& row,
              bool only_current = false);

// The number of the parameter `name`. Errors: it is none, or above `most`.
absl::StatusOr<uint64_t> NumberParameter(Parameters parameters,
                                         absl::string_view name,
                                         uint64_t fallback, uint64_t most);
// Of `name`, which is 0 or 1.
absl::StatusOr<bool> SwitchParameter(Parameters parameters,
                                     absl::string_view name, bool fallback);
// The index of the value among `words`.
absl::StatusOr<size_t> WordParameter(Parameters parameters,
                                     absl::string_view name,
                                     absl::Span<const absl::string_view> words,
                                     size_t fallback);
inline constexpr uint64_t kMostRows = 10000;

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_VIEW_PARTS_H_
