// Gives the frames of a table the number of the group that they fall into by
// function, file or module. Not thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_GROUP_NAMES_H_
#define HEAPTALLY_SNAPSHOT_GROUP_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "snapshot/grouping.h"
#include "snapshot/names.h"

namespace heaptally {

class GroupNames {
 public:
  GroupNames(const FrameTable& table, GroupBy by) : table_(table), by_(by) {}

  // The group that the blocks of a traceback are allocated in: of its
  // innermost frame outside of the C++ library, or of its reason.
  uint32_t OfTraceback(absl::Span<const FrameRef> frames, uint32_t reason);
  uint32_t OfFrame(uint32_t frame);
  uint32_t OfName(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  const FrameTable& table_;
  const GroupBy by_;
  std::vector<std::string> names_;
  absl::flat_hash_map<std::string, uint32_t> ids_;
  std::vector<uint32_t> of_frame_;  // Group + 1; 0: not looked up yet.
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_GROUP_NAMES_H_
