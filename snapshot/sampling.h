// Estimates of the whole heap from sampled blocks. A block of `size` requested
// bytes is sampled every `interval` bytes on average with the probability
// 1 - exp(-size / interval), so one that was sampled stands for the reciprocal
// of that. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_SAMPLING_H_
#define HEAPTALLY_SNAPSHOT_SAMPLING_H_

#include <cstdint>
#include <vector>

#include "snapshot/snapshot.h"

namespace heaptally {

struct Estimate {
  double blocks = 0;
  double requested = 0;
  double usable = 0;

  Estimate& operator+=(const Estimate& other) {
    blocks += other.blocks;
    requested += other.requested;
    usable += other.usable;
    return *this;
  }
};

// How many blocks a sampled one stands for; at least 1.
double SampleWeight(uint64_t requested, uint64_t interval);

// By traceback id: the blocks that its blocks stand for. Sampled-out blocks
// stand for none, blocks without a stack for another reason and blocks born in
// another mode for themselves. Empty if nothing was ever sampled.
std::vector<Estimate> EstimateTracebacks(const Snapshot& snapshot);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SAMPLING_H_
