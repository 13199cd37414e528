// What is counted everywhere: blocks, the bytes asked for, the bytes the size
// classes gave. Value types, safe in any thread.
#ifndef HEAPTALLY_SNAPSHOT_MEASURE_H_
#define HEAPTALLY_SNAPSHOT_MEASURE_H_

#include <cstdint>

namespace heaptally {

// Unsigned sums wrap, they are never undefined: a hostile file may hold any
// numbers.
struct Measure {
  uint64_t blocks = 0;
  uint64_t requested = 0;
  uint64_t usable = 0;

  Measure& operator+=(const Measure& other) {
    blocks += other.blocks;
    requested += other.requested;
    usable += other.usable;
    return *this;
  }
  Measure& operator-=(const Measure& other) {
    blocks -= other.blocks;
    requested -= other.requested;
    usable -= other.usable;
    return *this;
  }
  friend Measure operator+(Measure a, const Measure& b) { return a += b; }
  friend Measure operator-(Measure a, const Measure& b) { return a -= b; }
  friend bool operator==(const Measure&, const Measure&) = default;
};

// A difference of measures; each field is the two's complement difference.
struct NetMeasure {
  int64_t blocks = 0;
  int64_t requested = 0;
  int64_t usable = 0;
  friend bool operator==(const NetMeasure&, const NetMeasure&) = default;
};

inline NetMeasure Net(const Measure& after, const Measure& before) {
  const Measure d = after - before;
  return {static_cast<int64_t>(d.blocks), static_cast<int64_t>(d.requested),
          static_cast<int64_t>(d.usable)};
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_MEASURE_H_
