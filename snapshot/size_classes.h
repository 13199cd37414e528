// The blocks of a snapshot by size class. Immutable once made; any thread may
// read it.
#ifndef HEAPTALLY_SNAPSHOT_SIZE_CLASSES_H_
#define HEAPTALLY_SNAPSHOT_SIZE_CLASSES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "snapshot/snapshot.h"

namespace heaptally {

class SizeClasses {
 public:
  explicit SizeClasses(const Blocks& blocks);

  // The distinct usable sizes, ascending.
  const std::vector<uint64_t>& sizes() const { return sizes_; }
  // Indexes of the blocks of a size, ascending; none if there is no such size.
  absl::Span<const uint32_t> BlocksOf(uint64_t usable) const;

 private:
  std::vector<uint64_t> sizes_;
  std::vector<uint32_t> begin_;  // Places in order_, and the end.
  std::vector<uint32_t> order_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SIZE_CLASSES_H_
