#include "snapshot/frame_groups.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace heaptally {
namespace {

std::string NameOf(const Frame& frame, GroupBy by) {
  if (by == GroupBy::kFunction) return std::string(frame.function);
  const absl::string_view module =
      frame.module.empty() ? "(no module)" : frame.module;
  if (by == GroupBy::kModule) return std::string(module);
  if (frame.file.empty()) return absl::StrCat("(unknown file of ", module, ")");
  if (by == GroupBy::kFile) return std::string(frame.file);
  return frame.line == 0 ? absl::StrCat("(unknown line of ", frame.file, ")")
                         : absl::StrCat(frame.file, ":", frame.line);
}

}  // namespace

FrameGroups::FrameGroups(const FrameTable& table, GroupBy by)
    : by_(by), of_frame_(table.size()) {
  absl::flat_hash_map<std::string, uint32_t> ids;
  for (uint32_t frame = 0; frame < table.size(); ++frame) {
    std::string name = NameOf(table[frame], by);
    const auto [entry, is_new] = ids.try_emplace(std::move(name), size());
    if (is_new) {
      names_.push_back(entry->first);
      first_.push_back(frame);
    }
    of_frame_[frame] = entry->second;
  }
}

}  // namespace heaptally
