// The single blocks below a row, a page at a time. Pure functions, linear in
// the blocks; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_INDIVIDUALS_H_
#define HEAPTALLY_SNAPSHOT_INDIVIDUALS_H_

#include <cstdint>
#include <vector>

#include "snapshot/analysis.h"
#include "snapshot/row_table.h"
#include "snapshot/view_json.h"

namespace heaptally {

enum class BlockChange : uint8_t {
  kNone,  // Of one snapshot, or not known: blocks of two processes.
  kNew,
  kFreed,
  kSurvived,
};

struct Individual {
  size_t block = 0;  // Its index in the snapshot, or in the baseline.
  bool of_baseline = false;
  BlockChange change = BlockChange::kNone;
};

struct IndividualPage {
  uint64_t total = 0;
  std::vector<Individual> blocks;
};

IndividualPage FindIndividuals(const Analysis& analysis,
                               const RowTable::Selection& selection,
                               const IndividualsRequest& request);

// How many epochs before its snapshot a block was born.
uint32_t AgeOf(const Snapshot& s, size_t block);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_INDIVIDUALS_H_
