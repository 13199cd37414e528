#include "snapshot/size_classes.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace heaptally {

// A counting sort by size.
SizeClasses::SizeClasses(const Blocks& blocks) : order_(blocks.size()) {
  absl::flat_hash_map<uint64_t, uint32_t> places;
  std::vector<uint32_t> place_of(blocks.size());
  std::vector<uint32_t> counts;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [entry, is_new] = places.try_emplace(
        blocks.usable[i], static_cast<uint32_t>(sizes_.size()));
    if (is_new) {
      sizes_.push_back(blocks.usable[i]);
      counts.push_back(0);
    }
    place_of[i] = entry->second;
    ++counts[entry->second];
  }
  std::sort(sizes_.begin(), sizes_.end());
  std::vector<uint32_t> next(sizes_.size());  // By place.
  uint32_t at = 0;
  for (const uint64_t size : sizes_) {
    const uint32_t place = places[size];
    begin_.push_back(at);
    next[place] = at;
    at += counts[place];
  }
  begin_.push_back(at);
  for (size_t i = 0; i < blocks.size(); ++i) {
    order_[next[place_of[i]]++] = static_cast<uint32_t>(i);
  }
}

absl::Span<const uint32_t> SizeClasses::BlocksOf(uint64_t usable) const {
  const auto found = std::lower_bound(sizes_.begin(), sizes_.end(), usable);
  if (found == sizes_.end() || *found != usable) return {};
  const auto i = static_cast<size_t>(found - sizes_.begin());
  return absl::MakeConstSpan(order_).subspan(begin_[i],
                                             begin_[i + 1] - begin_[i]);
}

}  // namespace heaptally
