#include "snapshot/library_frames.h"

#include "absl/strings/match.h"
#include "snapshot/malloc_wrappers.h"

namespace heaptally {
namespace {

// "std::vector<int>::push_back(int)" of "void std::vector<...>...": what
// follows the last space outside of brackets before the parameters.
absl::string_view WithoutReturnType(absl::string_view function) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (depth == 0 && absl::StartsWith(function.substr(i), "operator")) break;
    if (c == '(' && depth == 0 && i > begin) break;
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth > 0) --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  return function.substr(begin);
}

}  // namespace

bool IsLibraryFrame(const Frame& frame) {
  if (absl::StrContains(frame.file, "/include/c++/")) return true;
  if (!frame.resolved) return false;
  const absl::string_view name = WithoutReturnType(frame.function);
  return absl::StartsWith(name, "std::") ||
         absl::StartsWith(name, "__gnu_cxx::") ||
         absl::StartsWith(name, "operator new") || IsMallocWrapper(name);
}

FrameRef AllocationSite(const FrameTable& table,
                        absl::Span<const FrameRef> frames) {
  for (const FrameRef frame : frames) {
    if (!IsLibraryFrame(table[frame])) return frame;
  }
  return frames.front();
}

std::vector<FrameRef> WithoutLibraryFrames(const FrameTable& table,
                                           absl::Span<const FrameRef> frames) {
  std::vector<FrameRef> kept;
  for (const FrameRef frame : frames) {
    if (!IsLibraryFrame(table[frame])) kept.push_back(frame);
  }
  if (kept.empty()) kept.assign(frames.begin(), frames.end());
  return kept;
}

}  // namespace heaptally
