#include "accounting/process_counters.h"

#include <atomic>

#include "accounting/quiesce.h"
#include "accounting/thread_state.h"
#include "accounting/traceback_table.h"

namespace heaptally {

std::atomic<uint32_t> peak_epoch{1};

namespace {

// Σ threads' `told`, changed atomically field by field.
Tally told_total;

// The peak, guarded by peak_lock; peak_usable repeats its usable bytes for
// readers without the lock.
Tally peak;
std::atomic<int64_t> peak_usable{0};
std::atomic<bool> peak_lock{false};

// Guarded by peak_lock as well; opened and closed under a Quiesce.
struct ExtraPeak {
  bool open;
  Tally value;
};
ExtraPeak extra_peaks[kExtraPeaks];

// The smallest usable bytes of the peak and the open extra ones: whoever is
// above it has a peak to raise.
std::atomic<int64_t> lowest_peak{0};

uint64_t Load(const uint64_t& counter) {
  return __atomic_load_n(&counter, __ATOMIC_RELAXED);
}

int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

// The process's usable bytes as `thread` knows them.
int64_t KnownUsable(const ThreadState* thread) {
  return Signed(Load(told_total.usable)) + (kFlushBytes - thread->room);
}

void RenewPeakRoom(ThreadState* thread) {
  thread->peak_room = Signed(Load(told_total.usable)) + kFlushBytes -
                      lowest_peak.load(std::memory_order_relaxed);
}

void RenewLowestPeak() {
  int64_t lowest = peak_usable.load(std::memory_order_relaxed);
  for (const ExtraPeak& extra : extra_peaks) {
    if (extra.open && Signed(extra.value.usable) < lowest) {
      lowest = Signed(extra.value.usable);
    }
  }
  lowest_peak.store(lowest, std::memory_order_relaxed);
}

void SetPeak(const Tally& value) {
  peak = value;
  peak_usable.store(Signed(value.usable), std::memory_order_relaxed);
  peak_epoch.fetch_add(1, std::memory_order_relaxed);
}

// Raises each peak that `value` is above.
void RaiseTo(const Tally& value) {
  if (Signed(value.usable) > peak_usable.load(std::memory_order_relaxed)) {
    SetPeak(value);
  }
  for (ExtraPeak& extra : extra_peaks) {
    if (extra.open && Signed(value.usable) > Signed(extra.value.usable)) {
      extra.value = value;
    }
  }
  RenewLowestPeak();
}

// Under a Quiesce: told_total becomes exact.
Tally TellAll() {
  Tally current;
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    t->told = t->net();
    t->room = kFlushBytes;
    current += t->told;
  }
  told_total = current;
  return current;
}

void RenewAllPeakRooms() {
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    RenewPeakRoom(t);
  }
}

}  // namespace

uint64_t KnownUsableBytes() {
  const int64_t bytes = Signed(Load(told_total.usable));
  return bytes < 0 ? 0 : static_cast<uint64_t>(bytes);
}

void FlushCounters(ThreadState* thread) {
  const Tally net = thread->net();
  const Tally change = net - thread->told;
  AddShared(told_total.blocks, change.blocks);
  AddShared(told_total.requested, change.requested);
  AddShared(told_total.usable, change.usable);
  thread->told = net;
  thread->room = kFlushBytes;
  RenewPeakRoom(thread);
}

void RaisePeak(ThreadState* thread) {
  if (peak_lock.exchange(true, std::memory_order_acquire)) {
    return;  // another thread is at it; the bound covers the difference
  }
  const int64_t usable = KnownUsable(thread);
  if (usable > lowest_peak.load(std::memory_order_relaxed)) {
    const Tally untold = thread->net() - thread->told;
    RaiseTo({Load(told_total.blocks) + untold.blocks,
             Load(told_total.requested) + untold.requested,
             static_cast<uint64_t>(usable)});
  }
  peak_lock.store(false, std::memory_order_release);
  RenewPeakRoom(thread);
}

void SettlePeak() {
  RaiseTo(TellAll());
  RenewAllPeakRooms();
}

Tally OpenPeak(int number) {
  SettlePeak();
  extra_peaks[number] = {true, told_total};
  RenewLowestPeak();
  RenewAllPeakRooms();
  return told_total;
}

Tally ReadPeak(int number, Tally* current) {
  SettlePeak();
  *current = told_total;
  return extra_peaks[number].value;
}

void ClosePeak(int number) {
  extra_peaks[number].open = false;
  RenewLowestPeak();
  RenewAllPeakRooms();
}

bool ResetPeak() {
  Quiesce stop;
  if (!stop.complete()) return false;
  const Tally current_total = TellAll();
  RaiseTo(current_total);  // the extra ones stay
  SetPeak(current_total);
  RenewLowestPeak();
  ThreadRegistry::ForgetMost();
  RenewAllPeakRooms();
  const uint32_t count = TracebackTable::TracebackCount();
  for (TracebackId id = kReasonEnd; id < count; ++id) {
    TracebackRecord& record = TracebackTable::RecordAt(id);
    const Tally current = record.current();
    record.peak_usable = current.usable;
    record.peak_blocks = current.blocks;
    record.peak_requested = current.requested;
  }
  return true;
}

ProcessTotals ReadTotals() {
  ProcessTotals totals;
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    totals.current += t->net();
    totals.ever += t->allocated;
  }
  const bool above = Signed(totals.current.usable) >
                     peak_usable.load(std::memory_order_relaxed);
  totals.peak = above ? totals.current : peak;
  totals.threads = ThreadRegistry::LiveCount();
  if (ThreadRegistry::many()) {
    // Those that made the peak may be gone.
    totals.peak_bound =
        ThreadRegistry::MostAtOnce() * static_cast<uint64_t>(kFlushBytes);
  }
  return totals;
}

}  // namespace heaptally
