// A map from address ranges to small integers, built once and then searched.
// Ranges may nest or overlap: the one that was added last wins, so whoever adds
// outer ranges before inner ones finds the innermost. Not thread safe while it
// is being built.
#ifndef HEAPTALLY_SNAPSHOT_ADDRESS_MAP_H_
#define HEAPTALLY_SNAPSHOT_ADDRESS_MAP_H_

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

namespace heaptally {

class AddressMap {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  void Add(uint64_t begin, uint64_t end, uint32_t value) {
    if (begin < end) ranges_.push_back({begin, end, value});
  }

  // Cuts the ranges into pieces that do not overlap; O(n log n).
  void Seal() {
    std::vector<uint64_t> cuts;
    cuts.reserve(2 * ranges_.size());
    std::vector<uint32_t> by_begin(ranges_.size());
    for (uint32_t i = 0; i < ranges_.size(); ++i) {
      cuts.push_back(ranges_[i].begin);
      cuts.push_back(ranges_[i].end);
      by_begin[i] = i;
    }
    std::sort(cuts.begin(), cuts.end());
    std::sort(by_begin.begin(), by_begin.end(), [&](uint32_t a, uint32_t b) {
      return ranges_[a].begin < ranges_[b].begin;
    });
    std::priority_queue<uint32_t> open;  // the range added last is on top
    size_t next = 0;
    for (uint64_t cut : cuts) {
      while (next < by_begin.size() && ranges_[by_begin[next]].begin <= cut) {
        open.push(by_begin[next++]);
      }
      while (!open.empty() && ranges_[open.top()].end <= cut) open.pop();
      uint32_t value = open.empty() ? kNone : ranges_[open.top()].value;
      if (!pieces_.empty() && pieces_.back().begin == cut) {
        pieces_.back().value = value;
      } else if (pieces_.empty() || pieces_.back().value != value) {
        pieces_.push_back({cut, value});
      }
    }
    ranges_ = {};
  }

  // The value of the range around `address`, or kNone.
  uint32_t Find(uint64_t address) const {
    auto above = std::upper_bound(
        pieces_.begin(), pieces_.end(), address,
        [](uint64_t a, const Piece& piece) { return a < piece.begin; });
    return above == pieces_.begin() ? kNone : std::prev(above)->value;
  }

 private:
  struct Range {
    uint64_t begin, end;
    uint32_t value;
  };
  struct Piece {
    uint64_t begin;  // it reaches to the begin of the next piece
    uint32_t value;
  };
  std::vector<Range> ranges_;
  std::vector<Piece> pieces_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_ADDRESS_MAP_H_
