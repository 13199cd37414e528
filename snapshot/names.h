// Frames of snapshots with their names. A FrameTable gives equal frames of one
// or several snapshots one id; SnapshotFrames gives the frames of a node.
// Not thread-safe while it is being filled.
#ifndef HEAPTALLY_SNAPSHOT_NAMES_H_
#define HEAPTALLY_SNAPSHOT_NAMES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct Frame {
  absl::string_view function;  // Never empty: "module+0xoffset" if unknown.
  absl::string_view file;      // Empty if unknown.
  uint32_t line = 0;           // 0 if unknown.
  absl::string_view module;    // Base name; empty if unknown.
  bool resolved = false;       // Whether the function has a name.

  friend bool operator==(const Frame&, const Frame&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Frame& f) {
    return H::combine(std::move(h), f.function, f.file, f.line, f.module);
  }
};

// A frame where it stands in a traceback: which one, and whether it is inlined
// into the next one out.
struct FrameRef {
  uint32_t id = 0;
  bool inlined = false;
  friend bool operator==(const FrameRef&, const FrameRef&) = default;
};

class FrameTable {
 public:
  // The strings are copied.
  uint32_t Intern(const Frame& frame);
  const Frame& operator[](uint32_t id) const { return frames_[id]; }
  const Frame& operator[](FrameRef ref) const { return frames_[ref.id]; }
  size_t size() const { return frames_.size(); }

 private:
  absl::string_view Keep(absl::string_view text);

  std::vector<Frame> frames_;
  absl::flat_hash_map<Frame, uint32_t> ids_;
  absl::flat_hash_map<absl::string_view, absl::string_view> kept_;
  std::deque<std::string> storage_;
};

class SnapshotFrames {
 public:
  // Interns all frames of `snapshot` into `table`; neither is kept.
  SnapshotFrames(const Snapshot& snapshot, FrameTable& table);

  // The frames of one node, innermost first; empty for a root.
  absl::Span<const FrameRef> OfNode(uint32_t node) const;
  // The frames of a whole traceback, innermost first; empty for a reason.
  std::vector<FrameRef> OfTraceback(uint32_t traceback) const;
  void AppendTraceback(uint32_t traceback, std::vector<FrameRef>& out) const;
  // How the walk ended: the id of the root that the frames hang from.
  uint32_t RootOfTraceback(uint32_t traceback) const;

 private:
  // Where the frames of one return address stand in refs_.
  struct Slot {
    uint32_t begin = 0;
    uint32_t count = 0;
  };

  Column<uint32_t> parent_;
  Column<uint32_t> leaf_;  // Index = traceback id.
  std::vector<Slot> node_slot_;
  std::vector<FrameRef> refs_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_NAMES_H_
