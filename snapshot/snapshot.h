// A snapshot in memory: the columns of a `.heaptally` file, validated. The
// analyses are pure functions of it. Copies share the columns; a snapshot that
// nobody changes may be read by any thread.
#ifndef HEAPTALLY_SNAPSHOT_SNAPSHOT_H_
#define HEAPTALLY_SNAPSHOT_SNAPSHOT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/column.h"
#include "snapshot/format.h"
#include "snapshot/key_values.h"
#include "snapshot/measure.h"
#include "snapshot/modules.h"
#include "snapshot/name_table.h"

namespace heaptally {

// Three columns of equal length, one row a traceback.
struct MeasureColumns {
  Column<uint64_t> blocks;
  Column<uint64_t> requested;
  Column<uint64_t> usable;

  size_t size() const { return blocks.size(); }
  Measure operator[](size_t i) const {
    return {blocks[i], requested[i], usable[i]};
  }
  friend bool operator==(const MeasureColumns&,
                         const MeasureColumns&) = default;
};

// The calling-context tree. Index = node id; ids below 16 are roots; a parent
// is always smaller than its child.
struct Nodes {
  Column<uint32_t> parent;
  Column<uint64_t> pc;
  size_t size() const { return parent.size(); }
  friend bool operator==(const Nodes&, const Nodes&) = default;
};

// Index = traceback id; ids below 16 are reasons, without a node.
struct Tracebacks {
  Column<uint32_t> node;
  MeasureColumns current;
  MeasureColumns ever;
  MeasureColumns own_peak;  // At the traceback's own usable maximum.
  MeasureColumns at_peak;   // At the usable maximum of the process.
  size_t size() const { return node.size(); }
  friend bool operator==(const Tracebacks&, const Tracebacks&) = default;
};

// The live blocks, by ascending address.
struct Blocks {
  Column<uint64_t> address;
  Column<uint32_t> traceback;
  Column<uint64_t> requested;
  Column<uint64_t> usable;
  Column<uint32_t> epoch;  // Birth epoch.
  size_t size() const { return address.size(); }
  Measure operator[](size_t i) const { return {1, requested[i], usable[i]}; }
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

// Names of locations; names.h reads them. Empty if the file was not packed.
struct Names {
  Column<char> strings;  // NUL-terminated; offset 0 is the empty string.
  Column<uint32_t> node_location;   // Index = node id.
  Column<uint32_t> location_begin;  // locations + 1 indexes of frames.
  Column<uint32_t> function;        // Offsets of strings, as file and module.
  Column<uint32_t> file;
  Column<uint32_t> line;
  Column<uint32_t> flags;
  Column<uint32_t> module;
  std::vector<MissingModule> missing;

  bool present() const { return !location_begin.empty(); }
  absl::string_view String(uint32_t offset) const {
    return strings.data() + offset;
  }
  // Moves the columns out of `table`; node_location stays to be set.
  static Names FromTable(NameTable table);
  friend bool operator==(const Names&, const Names&) = default;
};

// A section that this version does not know; kept as it was stored.
struct UnknownSection {
  format::SectionEntry entry;
  Column<char> stored;
};

struct Snapshot {
  std::string path;  // Where it was read from, for people.
  KeyValues facts;
  KeyValues capture;
  KeyValues notes;
  std::vector<Module> modules;
  Column<format::RecordingEntry> recording;
  Nodes nodes;
  Tracebacks tracebacks;
  Blocks blocks;
  Names names;
  std::vector<UnknownSection> unknown;

  absl::string_view mode() const { return facts.Text("mode"); }
  absl::string_view process_id() const { return facts.Text("process_id"); }
  uint32_t epoch() const {
    return static_cast<uint32_t>(facts.Number("epoch"));
  }
  // The three numbers `prefix`.blocks, .requested and .usable of the facts.
  Measure FactMeasure(absl::string_view prefix) const;
  // Whether some block was ever recorded in mode sampled.
  bool Sampled() const;
};

// The name of a reason id (1..15), as JSON and text write it; "" for others.
absl::string_view ReasonName(uint32_t traceback);
// The name of a root node, which says how the walks of the stacks below it
// ended; "" for no node.
absl::string_view WalkEndName(uint32_t root);
// Whether such a walk ended before the outermost frame.
bool EndedEarly(uint32_t root);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SNAPSHOT_H_
