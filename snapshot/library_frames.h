// Which frames belong to the C++ library (containers, allocators, operator new)
// or only pass an allocation on (xmalloc, zmalloc, g_malloc, …). People are
// shown the frame that used them. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_LIBRARY_FRAMES_H_
#define HEAPTALLY_SNAPSHOT_LIBRARY_FRAMES_H_

#include <vector>

#include "absl/types/span.h"
#include "snapshot/names.h"

namespace heaptally {

bool IsLibraryFrame(const Frame& frame);

// The innermost frame that is not of the library; the innermost of all if
// there is no other. `frames` is innermost first and not empty.
FrameRef AllocationSite(const FrameTable& table,
                        absl::Span<const FrameRef> frames);

// Without the library's frames, unless nothing would be left.
std::vector<FrameRef> WithoutLibraryFrames(const FrameTable& table,
                                           absl::Span<const FrameRef> frames);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_LIBRARY_FRAMES_H_
