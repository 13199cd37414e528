#include "snapshot/group_names.h"

#include "absl/strings/str_cat.h"
#include "snapshot/library_frames.h"

namespace heaptally {
namespace {

std::string NameOf(const Frame& frame, GroupBy by) {
  if (by == GroupBy::kFunction) return std::string(frame.function);
  std::string module = frame.module.empty() ? std::string("(no module)")
                                            : std::string(frame.module);
  if (by == GroupBy::kModule) return module;
  if (!frame.file.empty()) return std::string(frame.file);
  return absl::StrCat("(unknown file of ", module, ")");
}

}  // namespace

uint32_t GroupNames::OfName(const std::string& name) {
  const auto [entry, is_new] =
      ids_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return entry->second;
}

uint32_t GroupNames::OfFrame(uint32_t frame) {
  if (frame >= of_frame_.size()) of_frame_.resize(table_.size(), 0);
  if (of_frame_[frame] == 0) {
    of_frame_[frame] = OfName(NameOf(table_[frame], by_)) + 1;
  }
  return of_frame_[frame] - 1;
}

uint32_t GroupNames::OfTraceback(absl::Span<const FrameRef> frames,
                                 uint32_t reason) {
  if (!frames.empty()) return OfFrame(AllocationSite(table_, frames).id);
  return OfName(
      absl::StrCat("(", reason != 0 ? ReasonName(reason) : "empty stack", ")"));
}

}  // namespace heaptally
