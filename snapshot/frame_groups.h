// The groups that frames fall into by function, file, line or module. Numbers
// go by the first frame of a group, so that they are the same whenever the
// frames are. Immutable once made; any thread may read it.
#ifndef HEAPTALLY_SNAPSHOT_FRAME_GROUPS_H_
#define HEAPTALLY_SNAPSHOT_FRAME_GROUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "snapshot/grouping.h"
#include "snapshot/names.h"

namespace heaptally {

class FrameGroups {
 public:
  // `by` is kFunction, kFile, kLine or kModule.
  FrameGroups(const FrameTable& table, GroupBy by);

  GroupBy by() const { return by_; }
  uint32_t OfFrame(uint32_t frame) const { return of_frame_[frame]; }
  const std::vector<std::string>& names() const { return names_; }
  // The first frame of a group.
  uint32_t FrameOf(uint32_t group) const { return first_[group]; }
  uint32_t size() const { return static_cast<uint32_t>(names_.size()); }

 private:
  const GroupBy by_;
  std::vector<uint32_t> of_frame_;
  std::vector<std::string> names_;
  std::vector<uint32_t> first_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_FRAME_GROUPS_H_
