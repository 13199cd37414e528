// Who allocated: turns the stack of a caller into a traceback id, and counts
// blocks for the thread and for the traceback. Called inside an operation
// (ThreadState::busy), so never reentered on a thread; thread-safe; allocates
// from OwnMemory only.
#ifndef HEAPTALLY_ACCOUNTING_RECORDER_H_
#define HEAPTALLY_ACCOUNTING_RECORDER_H_

#include <cstdint>

#include "accounting/arch.h"
#include "accounting/process_counters.h"
#include "accounting/tally.h"
#include "accounting/thread_state.h"
#include "accounting/traceback_table.h"
#include "accounting/types.h"

namespace heaptally {

// The traceback, or the reason for none, of a block of `size` bytes that is
// allocated now by `caller`, by the recording mode.
TracebackId ChooseTraceback(ThreadState* thread, uint64_t size,
                            const CallerContext& caller);

// Saves the record's value at the peak; the first change after the peak does
// this once.
void SaveAtPeak(TracebackRecord& record);

// Notes the record's own maximum; it is about to shrink from it.
void SaveOwnPeak(TracebackRecord& record);

// What kBeforeRecording and kSampledOut stand for: blocks in no other record.
// The hot path counts them for the process only, and they are what the other
// records leave of it.
struct UnrecordedTallies {
  Tally current;
  Tally ever;
  Tally at_peak;
};
// Exact under a Quiesce with the peak settled, or in a snapshot's child.
UnrecordedTallies ReadUnrecorded();

inline void AddTo(Tally& tally, uint64_t requested, uint64_t usable,
                  bool shared) {
  if (shared) {
    AddShared(tally.blocks, 1);
    AddShared(tally.requested, requested);
    AddShared(tally.usable, usable);
  } else {
    AddOwn(tally.blocks, 1);
    AddOwn(tally.requested, requested);
    AddOwn(tally.usable, usable);
  }
}

inline void MoveRoom(ThreadState* thread, int64_t bytes) {
  AddOwn(reinterpret_cast<uint64_t&>(thread->room),
         static_cast<uint64_t>(bytes));
}

// A record's change that is due before it: see SaveAtPeak.
inline TracebackRecord& Touch(TracebackId id) {
  TracebackRecord& record = TracebackTable::RecordAt(id);
  if (record.peak_epoch.load(std::memory_order_relaxed) != PeakEpoch())
      [[unlikely]] {
    SaveAtPeak(record);
  }
  return record;
}

inline void CountAllocation(ThreadState* thread, TracebackId id,
                            uint64_t requested, uint64_t usable) {
  if (id != kBeforeRecording) {
    AddTo(Touch(id).ever, requested, usable, ThreadRegistry::many());
  }
  AddTo(thread->allocated, requested, usable, false);
  MoveRoom(thread, -static_cast<int64_t>(usable));
  if (thread->room < 0) [[unlikely]]
    FlushCounters(thread);
}

inline void CountFree(ThreadState* thread, TracebackId id, uint64_t requested,
                      uint64_t usable) {
  if (thread->room < thread->peak_room) [[unlikely]]
    RaisePeak(thread);
  if (id != kBeforeRecording) {
    TracebackRecord& record = Touch(id);
    if (record.ever.usable - record.freed.usable > record.peak_usable) {
      SaveOwnPeak(record);
    }
    AddTo(record.freed, requested, usable, ThreadRegistry::many());
  }
  AddOwn(thread->freed_blocks, 1);
  AddOwn(thread->freed_requested, requested);
  MoveRoom(thread, static_cast<int64_t>(usable));
  if (thread->room > 2 * kFlushBytes) [[unlikely]]
    FlushCounters(thread);
}

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_RECORDER_H_
