// The counters of the whole process: current, peak, ever.
//
// Equations:  current = Σ threads (allocated − freed)
//             ever    = Σ threads allocated
//             peak    = the values at the moment of the usable maximum
// Exact under a Quiesce. Without one, current and ever lack at most the
// operations in flight. The peak is exact while one thread allocates; with
// several it may be off by peak_bound bytes, since a thread tells the others of
// its changes only every kFlushBytes: that for each of the most threads that
// lived at once since the peak was reset.
#ifndef HEAPTALLY_ACCOUNTING_PROCESS_COUNTERS_H_
#define HEAPTALLY_ACCOUNTING_PROCESS_COUNTERS_H_

#include <atomic>
#include <cstdint>

#include "accounting/tally.h"

namespace heaptally {

struct ThreadState;

struct ProcessTotals {
  Tally current;
  Tally peak;
  Tally ever;
  uint64_t peak_bound = 0;  // bytes; 0: the peak is exact
  uint64_t threads = 0;     // that have allocated and still live
};

inline constexpr int64_t kFlushBytes = 64 << 10;

ProcessTotals ReadTotals();

// Counts the present as the peak if it is higher than the recorded one.
// Caller holds a Quiesce.
void SettlePeak();

// Peak := current, for the process and for every traceback. Takes a Quiesce;
// false when the threads could not be stopped (nothing changed).
bool ResetPeak();

// Further peaks beside the process's own, each from when it was opened: the
// largest usable bytes since, as exact as the process's. All of these under a
// complete Quiesce. The caller chooses a `number` that is not open. Both Open
// and Read settle the peaks and give the present.
inline constexpr int kExtraPeaks = 16;
Tally OpenPeak(int number);
Tally ReadPeak(int number, Tally* current);
void ClosePeak(int number);

// The peak epoch: raised each time the heap is about to shrink from a new
// maximum. A traceback's first change in an epoch saves its value at the peak.
extern std::atomic<uint32_t> peak_epoch;
inline uint32_t PeakEpoch() {
  return peak_epoch.load(std::memory_order_relaxed);
}

// Usable bytes of the process as far as the threads have told; within
// kFlushBytes a thread of the truth.
uint64_t KnownUsableBytes();

// Slow exits of the hot path. `Flush`: the thread has changed by more than
// kFlushBytes since it told the others. `RaisePeak`: the thread is about to
// free and stands above the recorded peak.
void FlushCounters(ThreadState* thread);
void RaisePeak(ThreadState* thread);

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_PROCESS_COUNTERS_H_
