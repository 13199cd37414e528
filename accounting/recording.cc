#include "accounting/recording.h"

#include <time.h>

#include <atomic>

#include "accounting/quiesce.h"
#include "accounting/sys.h"
#include "accounting/thread_state.h"

namespace heaptally {

std::atomic<RecordingMode> Recording::mode_{RecordingMode::kCounters};
std::atomic<uint32_t> Recording::epoch_{1};
uint32_t Recording::depth_limit_ = 512;
uint64_t Recording::min_size_ = 0;

namespace {

std::atomic<uint64_t> current_interval{0};
std::atomic<uint64_t> saturated{0};

constexpr size_t kMaxPeriods = 1024;
RecordingPeriod periods[kMaxPeriods];
std::atomic<size_t> period_count{0};

uint64_t UnixNanoseconds() {
  timespec t;
  sys::Call(SYS_clock_gettime, CLOCK_REALTIME, sys::Arg(&t));
  return static_cast<uint64_t>(t.tv_sec) * 1000000000 +
         static_cast<uint64_t>(t.tv_nsec);
}

void NotePeriod(RecordingMode mode, uint64_t interval) {
  current_interval.store(interval, std::memory_order_relaxed);
  const size_t n = period_count.load(std::memory_order_relaxed);
  periods[n] = {Recording::epoch(), mode, interval, UnixNanoseconds()};
  period_count.store(n + 1, std::memory_order_release);
}

}  // namespace

uint64_t Recording::sample_interval() {
  return current_interval.load(std::memory_order_relaxed);
}

uint32_t Recording::RaiseEpoch() {
  const uint32_t ended = epoch();
  if (ended < kMaxEpoch) {
    epoch_.store(ended + 1, std::memory_order_relaxed);
    ThreadRegistry::RenewPlainHeaders();
  } else {
    saturated.fetch_add(1, std::memory_order_relaxed);
  }
  return ended;
}

uint64_t Recording::epoch_saturated() {
  return saturated.load(std::memory_order_relaxed);
}

bool Recording::Set(RecordingMode mode, uint64_t sample_interval) {
  if (mode != RecordingMode::kSampled) sample_interval = 0;
  Quiesce stop;
  if (!stop.complete()) return false;
  if (mode == Recording::mode() &&
      sample_interval == Recording::sample_interval()) {
    return true;
  }
  if (period_count.load(std::memory_order_relaxed) == kMaxPeriods) {
    return false;
  }
  RaiseEpoch();
  mode_.store(mode, std::memory_order_relaxed);
  NotePeriod(mode, sample_interval);
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    if (mode == RecordingMode::kCounters) {
      t->Cease(kRecord);
    } else {
      t->Demand(kRecord);
    }
    t->sample_room = 0;
  }
  return true;
}

const RecordingPeriod* Recording::history(size_t* count) {
  *count = period_count.load(std::memory_order_acquire);
  return periods;
}

RecordingMode Recording::ModeAt(uint32_t epoch) {
  size_t i = period_count.load(std::memory_order_acquire);
  while (i > 1 && periods[i - 1].epoch > epoch) --i;
  return i == 0 ? RecordingMode::kCounters : periods[i - 1].mode;
}

void Recording::Init(RecordingMode mode, uint64_t sample_interval,
                     uint32_t depth_limit, uint64_t min_size) {
  depth_limit_ = depth_limit;
  min_size_ = min_size;
  mode_.store(mode, std::memory_order_relaxed);
  NotePeriod(mode, sample_interval);
}

}  // namespace heaptally
