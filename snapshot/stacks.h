// The stacks of an analysis' units as one flat array of frames. Immutable once
// made; any thread may read it.
#ifndef HEAPTALLY_SNAPSHOT_STACKS_H_
#define HEAPTALLY_SNAPSHOT_STACKS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "snapshot/names.h"

namespace heaptally {

// A frame id in 31 bits, and whether the frame is inlined into the next one.
class PackedFrame {
 public:
  PackedFrame() = default;
  explicit PackedFrame(FrameRef ref)
      : bits_(ref.id | (ref.inlined ? kInlined : 0)) {}
  uint32_t id() const { return bits_ & ~kInlined; }
  bool inlined() const { return (bits_ & kInlined) != 0; }
  FrameRef ref() const { return {id(), inlined()}; }

 private:
  static constexpr uint32_t kInlined = uint32_t{1} << 31;
  uint32_t bits_ = 0;
};

class Stacks {
 public:
  uint32_t size() const { return static_cast<uint32_t>(begin_.size() - 1); }
  // Innermost first; empty for a unit without a stack.
  absl::Span<const PackedFrame> operator[](uint32_t unit) const {
    return absl::MakeConstSpan(frames_).subspan(
        begin_[unit], begin_[unit + 1] - begin_[unit]);
  }

  void Reserve(size_t stacks, size_t frames) {
    begin_.reserve(stacks + 1);
    frames_.reserve(frames);
  }
  void Add(absl::Span<const FrameRef> frames);
  // All stacks without the frames that are marked, unless nothing would be
  // left of one.
  Stacks Without(const std::vector<bool>& marked) const;

 private:
  std::vector<uint64_t> begin_ = {0};
  std::vector<PackedFrame> frames_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_STACKS_H_
