// The small values that the interface's answers are made of. Pure functions.
#ifndef HEAPTALLY_INTEGRATION_VIEW_JSON_PARTS_H_
#define HEAPTALLY_INTEGRATION_VIEW_JSON_PARTS_H_

#include "absl/strings/string_view.h"
#include "snapshot/json_writer.h"
#include "snapshot/measure.h"

namespace heaptally::view {

// [blocks, requested, usable].
inline void WriteMeasure(JsonWriter& json, const Measure& m) {
  json.BeginArray(true);
  json.Number(m.blocks);
  json.Number(m.requested);
  json.Number(m.usable);
  json.EndArray();
}

inline void WriteMeasure(JsonWriter& json, const NetMeasure& m) {
  json.BeginArray(true);
  json.Signed(m.blocks);
  json.Signed(m.requested);
  json.Signed(m.usable);
  json.EndArray();
}

inline void WriteTextOrNull(JsonWriter& json, absl::string_view text) {
  if (text.empty()) {
    json.Null();
  } else {
    json.String(text);
  }
}

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_JSON_PARTS_H_
