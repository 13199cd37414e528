// The checker: walks the page map, every side header and every thread's cache,
// and compares the sums with the tracebacks' records. Exact under a complete
// Quiesce or in a snapshot's child. Takes memory from OwnMemory for as long as
// it runs; no locks, no errno.
#ifndef HEAPTALLY_ALLOCATOR_BOOK_CHECK_H_
#define HEAPTALLY_ALLOCATOR_BOOK_CHECK_H_

#include <cstdint>

#include "accounting/tally.h"

namespace heaptally {

enum class BookFault : uint32_t {
  kNone,
  kPageBin,        // a page entry names no bin
  kFirstOffset,    // the first block would not begin within its own size
  kTracebackId,    // a header names a traceback that does not exist
  kSlop,           // more slop than the block has bytes
  kEpoch,          // born after the present
  kCachedBlock,    // a cached block has a header, or not the one of its place
  kTracebackSums,  // a traceback's record differs from its blocks
  kNoMemory,       // the check could not be made
};
const char* BookFaultName(BookFault fault);

struct BookCheck {
  uint64_t pages = 0;   // with an entry
  uint64_t cached = 0;  // blocks in the threads' caches
  Tally blocks;         // Σ side headers
  uint64_t faults = 0;
  BookFault first_fault = BookFault::kNone;
  uint64_t first_place = 0;  // an address, or a traceback id for kTracebackSums
};

BookCheck CheckBooks();

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_BOOK_CHECK_H_
