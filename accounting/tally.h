// A count of blocks and their bytes: the value type of every counter. Plain
// data, no safety of its own.
#ifndef HEAPTALLY_ACCOUNTING_TALLY_H_
#define HEAPTALLY_ACCOUNTING_TALLY_H_

#include <cstdint>

namespace heaptally {

// `requested` is what the program asked for, `usable` what the size class
// gave; both in bytes.
struct Tally {
  uint64_t blocks = 0;
  uint64_t requested = 0;
  uint64_t usable = 0;

  friend constexpr Tally operator+(const Tally& a, const Tally& b) {
    return {a.blocks + b.blocks, a.requested + b.requested,
            a.usable + b.usable};
  }
  // Wraps like the unsigned fields; a sum of differences is exact again.
  friend constexpr Tally operator-(const Tally& a, const Tally& b) {
    return {a.blocks - b.blocks, a.requested - b.requested,
            a.usable - b.usable};
  }
  Tally& operator+=(const Tally& b) { return *this = *this + b; }
  Tally& operator-=(const Tally& b) { return *this = *this - b; }
  friend constexpr bool operator==(const Tally&, const Tally&) = default;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_TALLY_H_
