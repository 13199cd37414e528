#include "accounting/interval.h"

#include <cerrno>

#include "accounting/own_memory.h"
#include "accounting/quiesce.h"
#include "accounting/recording.h"
#include "accounting/thread_state.h"
#include "accounting/traceback_table.h"

namespace heaptally {
namespace {

enum class Stage : uint8_t { kFree, kRuns, kStopped };

// Changed under a Quiesce only; one that is stopped does not change until it is
// released.
struct Interval {
  Stage stage = Stage::kFree;
  uint32_t wishes = 0;
  uint64_t sequence = 0;  // of its beginning
  IntervalTotals totals;
  Tally ever;  // at the beginning
  // Allocations of the tracebacks 0 … count − 1: all until the beginning while
  // it runs, then those in it.
  Tally* tracebacks = nullptr;
  uint32_t count = 0;
};

Interval intervals[Intervals::kMost];

// Raised by each beginning; ThreadState::last_active has its values.
uint64_t sequence = 0;

bool IsValid(int number) { return number >= 0 && number < Intervals::kMost; }

Tally Ever() {
  Tally ever;
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    ever += t->allocated;
  }
  return ever;
}

// Notes which threads have allocated or freed since the last look, and counts
// those that did since the interval of number `since` began.
uint64_t LookAtThreads(uint64_t since) {
  uint64_t active = 0;
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    const uint64_t operations = t->allocated.blocks + t->freed_blocks;
    if (operations != t->seen_operations) {
      t->seen_operations = operations;
      t->last_active = sequence;
    }
    if (t->last_active >= since) ++active;
  }
  return active;
}

void Discard(Interval* interval) {
  if (interval->tracebacks != nullptr) {
    OwnMemory::Unmap(interval->tracebacks, interval->count * sizeof(Tally),
                     OwnUse::kOther);
  }
  *interval = Interval();
}

Tally* NewTallies(uint32_t count) {
  return static_cast<Tally*>(
      OwnMemory::Map(count * sizeof(Tally), OwnUse::kOther));
}

bool NoteTracebacks(Interval* interval) {
  interval->count = TracebackTable::TracebackCount();
  interval->tracebacks = NewTallies(interval->count);
  if (interval->tracebacks == nullptr) return false;
  for (TracebackId id = 0; id < interval->count; ++id) {
    interval->tracebacks[id] = TracebackTable::RecordAt(id).ever;
  }
  return true;
}

bool CompareTracebacks(Interval* interval) {
  const uint32_t count = TracebackTable::TracebackCount();
  Tally* const made = NewTallies(count);
  if (made == nullptr) return false;
  for (TracebackId id = 0; id < count; ++id) {
    const Tally before =
        id < interval->count ? interval->tracebacks[id] : Tally();
    made[id] = TracebackTable::RecordAt(id).ever - before;
  }
  OwnMemory::Unmap(interval->tracebacks, interval->count * sizeof(Tally),
                   OwnUse::kOther);
  interval->tracebacks = made;
  interval->count = count;
  return true;
}

}  // namespace

int Intervals::Begin(uint32_t wishes) {
  Quiesce stop;
  if (!stop.complete()) return -EAGAIN;
  if ((wishes & kTellBlocks) && Recording::epoch() == Recording::kMaxEpoch) {
    return -EOVERFLOW;
  }
  int number = 0;
  while (number < kMost && intervals[number].stage != Stage::kFree) ++number;
  if (number == kMost) return -ENOBUFS;
  Interval& interval = intervals[number];
  if ((wishes & kTellTracebacks) && !NoteTracebacks(&interval)) return -ENOMEM;
  interval.totals.start = OpenPeak(number);
  LookAtThreads(0);
  interval.stage = Stage::kRuns;
  interval.wishes = wishes;
  interval.sequence = ++sequence;
  interval.ever = Ever();
  if (wishes & kTellBlocks) {
    Recording::RaiseEpoch();
    interval.totals.first_epoch = Recording::epoch();
  }
  return number;
}

int Intervals::Stop(int number, IntervalTotals* totals) {
  if (!IsValid(number)) return -EINVAL;
  Quiesce stop;
  if (!stop.complete()) return -EAGAIN;
  Interval& interval = intervals[number];
  if (interval.stage == Stage::kFree) return -EINVAL;
  if (interval.stage == Stage::kRuns) {
    if ((interval.wishes & kTellBlocks) &&
        Recording::epoch() == Recording::kMaxEpoch) {
      return -EOVERFLOW;  // later blocks could not be told from its own
    }
    if ((interval.wishes & kTellTracebacks) && !CompareTracebacks(&interval)) {
      return -ENOMEM;
    }
    IntervalTotals& result = interval.totals;
    result.peak = ReadPeak(number, &result.current);
    ClosePeak(number);
    result.allocated = Ever() - interval.ever;
    result.threads = LookAtThreads(interval.sequence);
    if (result.threads > 1) {
      result.peak_bound = result.threads * static_cast<uint64_t>(kFlushBytes);
    }
    if (interval.wishes & kTellBlocks) {
      result.last_epoch = Recording::RaiseEpoch();
    }
    interval.stage = Stage::kStopped;
  }
  *totals = interval.totals;
  return 0;
}

int Intervals::ForEachTraceback(int number, Visitor visit, void* context) {
  if (!IsValid(number)) return -EINVAL;
  const Interval& interval = intervals[number];
  if (interval.stage != Stage::kStopped || interval.tracebacks == nullptr) {
    return -EINVAL;
  }
  for (TracebackId id = 0; id < interval.count; ++id) {
    if (interval.tracebacks[id].blocks != 0) {
      visit(context, id, interval.tracebacks[id]);
    }
  }
  return 0;
}

int Intervals::Release(int number) {
  if (!IsValid(number)) return -EINVAL;
  Quiesce stop;
  if (!stop.complete()) return -EAGAIN;
  Interval& interval = intervals[number];
  if (interval.stage == Stage::kFree) return -EINVAL;
  if (interval.stage == Stage::kRuns) ClosePeak(number);
  Discard(&interval);
  return 0;
}

}  // namespace heaptally
