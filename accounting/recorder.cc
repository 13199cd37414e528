#include "accounting/recorder.h"

#include <bit>

#include "accounting/recording.h"
#include "accounting/recording_cost.h"
#include "accounting/stack_walk.h"

namespace heaptally {
namespace {

// xorshift64*: fast, and far better than the sampling needs.
uint64_t NextRandom(ThreadState* thread) {
  uint64_t x = thread->random;
  if (x == 0) x = reinterpret_cast<uintptr_t>(thread) * 0x9e3779b97f4a7c15 | 1;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  thread->random = x;
  return x * 0x2545f4914f6cdd1d;
}

// ln(x) for x in (0, 1], to about 1e-7, without the mathematics library.
double NaturalLog(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  const double m = std::bit_cast<double>((bits & ((uint64_t{1} << 52) - 1)) |
                                         (uint64_t{1023} << 52));
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  const double series =
      2 * s *
      (1 + s2 * (1.0 / 3 +
                 s2 * (1.0 / 5 +
                       s2 * (1.0 / 7 +
                             s2 * (1.0 / 9 + s2 * (1.0 / 11 + s2 / 13))))));
  return exponent * 0.6931471805599453 + series;
}

// Bytes until the next sample: exponentially distributed with the interval as
// its mean, so that each byte is sampled with equal probability.
int64_t NextSampleDistance(ThreadState* thread) {
  const double uniform =
      static_cast<double>((NextRandom(thread) >> 11) + 1) * 0x1p-53;
  const double mean = static_cast<double>(Recording::sample_interval());
  return static_cast<int64_t>(-NaturalLog(uniform) * mean) + 1;
}

// A block is sampled when one of its bytes is; a block of no bytes counts as
// one byte.
bool IsSampled(ThreadState* thread, uint64_t size) {
  const int64_t bytes = size == 0 ? 1 : static_cast<int64_t>(size);
  if (thread->sample_room == 0) {
    thread->sample_room = NextSampleDistance(thread);
  }
  thread->sample_room -= bytes;
  if (thread->sample_room > 0) return false;
  thread->sample_room = NextSampleDistance(thread);
  return true;
}

TracebackId RecordStack(ThreadState* thread, const CallerContext& caller) {
  WalkCache& cache = thread->walk;
  const WalkEnd end = WalkStack(caller, cache, Recording::depth_limit());
  const uint32_t depth = cache.depth();
  if (depth == 0) return kWalkFailed;
  WalkFrame* const frames = cache.frames();
  uint32_t i = cache.first_new();
  NodeId node = i == 0 ? static_cast<NodeId>(end) : frames[i - 1].node;
  for (; i < depth; ++i) {
    node = TracebackTable::Child(node, frames[i].pc);
    if (node == 0) {
      cache.ForgetNodes();
      return TracebackTable::CountFull();
    }
    frames[i].node = node;
  }
  cache.MarkNodesKnown();
  const TracebackId id = TracebackTable::TracebackOf(node);
  if (TracebackTable::NeedsGrowth()) [[unlikely]]
    TracebackTable::Grow();
  return id;
}

// One walk in 64 is measured: the first after the thread's count was folded.
TracebackId RecordStackMeasured(ThreadState* thread,
                                const CallerContext& caller) {
  if (thread->walk.unfolded_walks() != 0) [[likely]] {
    return RecordStack(thread, caller);
  }
  const uint64_t start = Ticks();
  const TracebackId id = RecordStack(thread, caller);
  RecordingCost::Add(Ticks() - start);
  return id;
}

}  // namespace

TracebackId ChooseTraceback(ThreadState* thread, uint64_t size,
                            const CallerContext& caller) {
  const RecordingMode mode = Recording::mode();
  if (mode == RecordingMode::kCounters || !TracebackTable::IsUp()) {
    return kBeforeRecording;
  }
  // A block that is not sampled is told from one that came before recording by
  // its birth epoch.
  if (mode == RecordingMode::kSampled && !IsSampled(thread, size)) {
    return kBeforeRecording;
  }
  if (size < Recording::min_size()) return kBelowMinSize;
  return RecordStackMeasured(thread, caller);
}

void SaveAtPeak(TracebackRecord& record) {
  const uint32_t now = PeakEpoch();
  uint32_t seen = record.peak_epoch.load(std::memory_order_relaxed);
  if (seen == now || !record.peak_epoch.compare_exchange_strong(
                         seen, now, std::memory_order_relaxed)) {
    return;  // another thread saves it
  }
  record.at_peak = record.current();
}

void SaveOwnPeak(TracebackRecord& record) {
  const Tally current = record.current();
  record.peak_blocks = current.blocks;
  record.peak_requested = current.requested;
  record.peak_usable = current.usable;
}

UnrecordedTallies ReadUnrecorded() {
  const ProcessTotals totals = ReadTotals();
  UnrecordedTallies rest{totals.current, totals.ever, totals.peak};
  const uint32_t count = TracebackTable::TracebackCount();
  for (TracebackId id = kSampledOut; id < count; ++id) {
    const TracebackRecord& record = TracebackTable::RecordAt(id);
    rest.current -= record.current();
    rest.ever -= record.ever;
    rest.at_peak -= TracebackTable::AtProcessPeak(record);
  }
  return rest;
}

}  // namespace heaptally
