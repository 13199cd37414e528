// Which blocks of a snapshot have a stack, a whole one or a part, for people.
// Thread-safe for distinct streams.
#ifndef HEAPTALLY_SNAPSHOT_COVERAGE_TEXT_H_
#define HEAPTALLY_SNAPSHOT_COVERAGE_TEXT_H_

#include <ostream>

#include "snapshot/names.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// `frames` are those of `snapshot`.
void PrintCoverage(std::ostream& out, const Snapshot& snapshot,
                   const SnapshotFrames& frames);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_COVERAGE_TEXT_H_
