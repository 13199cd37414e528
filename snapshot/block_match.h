// The matching of the blocks of two snapshots: how each changes, by
// traceback. Linear; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_BLOCK_MATCH_H_
#define HEAPTALLY_SNAPSHOT_BLOCK_MATCH_H_

#include <cstdint>
#include <vector>

#include "snapshot/change.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// What changed for one traceback.
struct MatchedUnit {
  uint32_t baseline_traceback = 0;
  uint32_t comparison_traceback = 0;
  Change change;
};

struct MatchResult {
  std::vector<MatchedUnit> units;
  uint64_t resized = 0;
};

// Of one process: a block survived if it is at the same address in both and
// was born no later than the baseline. A survivor whose size or traceback
// differs was resized in place and counts as freed and new.
MatchResult MatchByEpoch(const Snapshot& baseline, const Snapshot& comparison);

// Of two processes, whose blocks have nothing in common but the numbers of
// their tracebacks (symbol_tree.h): for each, the smaller of both
// numbers survived, field by field.
MatchResult MatchByNumber(const Snapshot& baseline,
                          const std::vector<uint32_t>& baseline_numbers,
                          const Snapshot& comparison,
                          const std::vector<uint32_t>& comparison_numbers);

// Turns "all of the baseline was freed, all of the comparison is new" into
// what must have changed at least, field by field.
void SettleChange(Change& change);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_BLOCK_MATCH_H_
