#include "snapshot/size_units.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace heaptally {
namespace {

// The distinct sizes in order, and the place of each block's size among them.
struct Sizes {
  std::vector<uint64_t> sizes;
  std::vector<uint32_t> of_block;
};

Sizes FindSizes(const Blocks& blocks) {
  Sizes result;
  result.of_block.resize(blocks.size());
  absl::flat_hash_map<uint64_t, uint32_t> places;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [entry, is_new] = places.try_emplace(
        blocks.usable[i], static_cast<uint32_t>(result.sizes.size()));
    if (is_new) result.sizes.push_back(blocks.usable[i]);
    result.of_block[i] = entry->second;
  }
  std::vector<uint64_t> sorted = result.sizes;
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint32_t> moved(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    moved[places[sorted[i]]] = static_cast<uint32_t>(i);
  }
  for (uint32_t& place : result.of_block) place = moved[place];
  result.sizes = std::move(sorted);
  return result;
}

}  // namespace

// The blocks are brought together by size with a counting sort; what is left
// of each size is summed in an array by traceback.
std::vector<SizedBlocks> BlocksBySize(const Blocks& blocks,
                                      uint32_t tracebacks) {
  const Sizes sizes = FindSizes(blocks);
  std::vector<uint32_t> begin(sizes.sizes.size() + 1, 0);
  for (const uint32_t place : sizes.of_block) ++begin[place + 1];
  for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  struct Part {
    uint32_t traceback;
    uint64_t requested;
  };
  std::vector<Part> parts(blocks.size());
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (size_t i = 0; i < blocks.size(); ++i) {
    parts[next[sizes.of_block[i]]++] = {blocks.traceback[i],
                                        blocks.requested[i]};
  }
  std::vector<SizedBlocks> result;
  std::vector<uint32_t> place(tracebacks, 0);  // In result + 1.
  for (size_t size = 0; size < sizes.sizes.size(); ++size) {
    const size_t first = result.size();
    const uint64_t usable = sizes.sizes[size];
    for (uint32_t i = begin[size]; i < begin[size + 1]; ++i) {
      uint32_t& at = place[parts[i].traceback];
      if (at <= first) {
        result.push_back({parts[i].traceback, usable, {}});
        at = static_cast<uint32_t>(result.size());
      }
      result[at - 1].blocks += {1, parts[i].requested, usable};
    }
    std::sort(result.begin() + static_cast<ptrdiff_t>(first), result.end(),
              [](const SizedBlocks& a, const SizedBlocks& b) {
                return a.traceback < b.traceback;
              });
    for (size_t i = first; i < result.size(); ++i) {
      place[result[i].traceback] = 0;
    }
  }
  return result;
}

}  // namespace heaptally
