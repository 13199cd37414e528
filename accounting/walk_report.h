// What became of the walks: how many ended in which way and, in builds with
// HEAPTALLY_VERIFY_WALKS, how many of them differed from a walk from scratch.
// Thread-safe, signal-safe, no locks, no allocation from the measured heap.
#ifndef HEAPTALLY_ACCOUNTING_WALK_REPORT_H_
#define HEAPTALLY_ACCOUNTING_WALK_REPORT_H_

#include <cstdint>

#include "accounting/stack_walk.h"
#include "accounting/types.h"

namespace heaptally {

struct WalkCounts {
  uint64_t ends[kWalkEndEnd];  // walks by WalkEnd
  uint64_t verified;           // walks that were compared …
  uint64_t different;          // … and those of them that differed
};
WalkCounts GetWalkCounts();

void CountWalks(WalkEnd end, uint64_t walks);

// The first difference that verification found, innermost frame first.
struct WalkDifference {
  static constexpr uint32_t kMaxFrames = 64;
  uint32_t cached_depth;
  uint32_t scratch_depth;
  WalkEnd cached_end;
  WalkEnd scratch_end;
  uintptr_t cached[kMaxFrames];
  uintptr_t scratch[kMaxFrames];
};
// Null if there was none.
const WalkDifference* FirstWalkDifference();

// Compares the cache's stack with a walk from scratch and counts the outcome.
void CompareWithScratch(const CallerContext& caller, WalkCache& cache);

#ifdef HEAPTALLY_VERIFY_WALKS
inline void VerifyWalk(const CallerContext& caller, WalkCache& cache) {
  CompareWithScratch(caller, cache);
}
#else
inline void VerifyWalk(const CallerContext&, WalkCache&) {}
#endif

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_WALK_REPORT_H_
