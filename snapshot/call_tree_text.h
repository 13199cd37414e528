// The call tree of a census for people. Thread-safe for distinct streams.
#ifndef HEAPTALLY_SNAPSHOT_CALL_TREE_TEXT_H_
#define HEAPTALLY_SNAPSHOT_CALL_TREE_TEXT_H_

#include <ostream>

#include "snapshot/census.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// Small branches are summed up unless the census shows all (top 0). Calls that
// do not branch stand below one another without a new indentation.
void PrintCallTree(std::ostream& out, const Census& census);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CALL_TREE_TEXT_H_
