// The facts about the process, as `key=value` lines: the `facts` section of a
// snapshot and the answer to `stat`. System calls and our own books only; safe
// in the control thread, in a snapshot's child and in any thread.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_FACTS_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_FACTS_H_

#include <cstdint>

#include "accounting/tally.h"
#include "accounting/text_writer.h"
#include "allocator/book_check.h"

namespace heaptally {

inline constexpr uint64_t kMaxFactsBytes = 40 << 10;

// What a walk over the books has found; only a snapshot walks.
struct WalkedSums {
  Tally side_headers;
  Tally tracebacks;
  BookCheck check;  // page map, headers, caches, each traceback's own sum
};

// The moment that the facts are about. `pid` is the program's, also when a
// child writes; `epoch` the one that the snapshot closes, or the present one.
struct FactsMoment {
  int pid;
  uint32_t epoch;
  uint64_t unix_ns;
};

// `sums` may be null.
void WriteFacts(TextWriter& out, const FactsMoment& moment,
                const WalkedSums* sums);

const char* ModeName(uint32_t mode);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_FACTS_H_
