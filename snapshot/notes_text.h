// What a reader of a snapshot's or a comparison's figures must know, in
// sentences. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_NOTES_TEXT_H_
#define HEAPTALLY_SNAPSHOT_NOTES_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "snapshot/change.h"
#include "snapshot/snapshot.h"

namespace heaptally {

std::vector<std::string> SnapshotNotes(const Snapshot& s);
std::vector<std::string> PairNotes(const Snapshot& baseline,
                                   const Snapshot& comparison,
                                   MatchedBy matched_by, uint64_t resized);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_NOTES_TEXT_H_
