// A stretch of the program's run with counters of its own: what was allocated
// and freed meanwhile by all threads, the peak since it began, and, if asked
// for, the allocations of each traceback. Intervals may nest and overlap.
//
// Begin and Stop stop the threads for a moment, so that their counters are
// exact. The peak is exact if at most one thread allocated or freed in the
// interval, and else within `peak_bound`. Thread-safe; an interval may be
// stopped by another thread than began it. Not for signal handlers. Memory is
// our own.
#ifndef HEAPTALLY_ACCOUNTING_INTERVAL_H_
#define HEAPTALLY_ACCOUNTING_INTERVAL_H_

#include <cstddef>
#include <cstdint>

#include "accounting/process_counters.h"
#include "accounting/tally.h"
#include "accounting/types.h"

namespace heaptally {

enum IntervalWish : uint32_t {
  kTellBlocks = 1,      // blocks born in it have epochs of their own
  kTellTracebacks = 2,  // count the allocations of each traceback
};

struct IntervalTotals {
  Tally start;               // live at the beginning
  Tally current;             // live at the end
  Tally allocated;           // in between
  Tally peak;                // at the moment of the most usable bytes
  uint64_t peak_bound = 0;   // bytes; 0: the peak is exact
  uint64_t threads = 0;      // that allocated or freed
  uint32_t first_epoch = 0;  // of blocks born in it; 0 without kTellBlocks
  uint32_t last_epoch = 0;
};

class Intervals {
 public:
  static constexpr int kMost = kExtraPeaks;

  // The new interval's number, or −errno: EAGAIN a thread could not be stopped,
  // ENOBUFS kMost are there already, ENOMEM, EOVERFLOW the epochs are used up.
  static int Begin(uint32_t wishes);

  // Ends it; a second call gives the same. 0 or −errno: EINVAL no such
  // interval, EAGAIN (it goes on), ENOMEM, EOVERFLOW.
  static int Stop(int number, IntervalTotals* totals);

  // Calls `visit` for each traceback that allocated in a stopped interval begun
  // with kTellTracebacks.
  using Visitor = void (*)(void* context, TracebackId id, const Tally& tally);
  static int ForEachTraceback(int number, Visitor visit, void* context);

  // Gives the number free; the interval need not have been stopped.
  static int Release(int number);
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_INTERVAL_H_
