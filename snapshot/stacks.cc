#include "snapshot/stacks.h"

namespace heaptally {

void Stacks::Add(absl::Span<const FrameRef> frames) {
  for (const FrameRef ref : frames) frames_.emplace_back(ref);
  begin_.push_back(frames_.size());
}

Stacks Stacks::Without(const std::vector<bool>& marked) const {
  Stacks kept;
  kept.Reserve(size(), frames_.size());
  for (uint32_t unit = 0; unit < size(); ++unit) {
    const absl::Span<const PackedFrame> all = (*this)[unit];
    const size_t begin = kept.frames_.size();
    for (const PackedFrame frame : all) {
      if (!marked[frame.id()]) kept.frames_.push_back(frame);
    }
    if (kept.frames_.size() == begin) {
      kept.frames_.insert(kept.frames_.end(), all.begin(), all.end());
    }
    kept.begin_.push_back(kept.frames_.size());
  }
  return kept;
}

}  // namespace heaptally
