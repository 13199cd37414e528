// The parts that the JSON of reports and of comparisons share. Not for two
// threads on one writer.
#ifndef HEAPTALLY_SNAPSHOT_JSON_PARTS_H_
#define HEAPTALLY_SNAPSHOT_JSON_PARTS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/json_writer.h"
#include "snapshot/measure.h"
#include "snapshot/names.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// "key": {"blocks", "requested", "usable"}.
void WriteMeasure(JsonWriter& json, absl::string_view key, const Measure& m);
// "frames": [{"function", "file", "line", "module", "inlined"}].
void WriteFrames(JsonWriter& json, const FrameTable& table,
                 absl::Span<const FrameRef> frames);
// "file", "label", "process", "mode", "sample_interval", "epoch", "named".
void WriteSnapshotHead(JsonWriter& json, const Snapshot& s);
// "missing_names": the modules without names, and what would help.
void WriteMissing(JsonWriter& json, const Snapshot& s);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_JSON_PARTS_H_
