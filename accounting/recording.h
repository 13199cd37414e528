// What is recorded for new blocks: nothing but counters, a sample of stacks,
// or every stack; and the epoch, which every snapshot and every change of mode
// raises, so that a block's birth epoch tells under which mode it was born.
#ifndef HEAPTALLY_ACCOUNTING_RECORDING_H_
#define HEAPTALLY_ACCOUNTING_RECORDING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heaptally {

enum class RecordingMode : uint32_t { kCounters = 0, kSampled = 1, kAll = 2 };

// One period of a mode; on-disk layout of the `recording` section.
struct RecordingPeriod {
  uint32_t epoch;  // the first one of the period
  RecordingMode mode;
  uint64_t sample_interval;  // mean bytes between samples; 0 unless sampled
  uint64_t since_unix_ns;
};
static_assert(sizeof(RecordingPeriod) == 24);

class Recording {
 public:
  static RecordingMode mode() { return mode_.load(std::memory_order_relaxed); }
  static uint64_t sample_interval();

  // Epoch of blocks born now. Starts at 1.
  static uint32_t epoch() { return epoch_.load(std::memory_order_relaxed); }

  // Starts the next epoch and returns the one that ended. Caller holds a
  // Quiesce. Saturates at kMaxEpoch and counts that (epoch_saturated()).
  static uint32_t RaiseEpoch();
  static uint64_t epoch_saturated();

  // Switches the mode for blocks allocated from now on. Takes a Quiesce
  // itself. False when it could not stop the threads (nothing changed) or the
  // history is full.
  static bool Set(RecordingMode mode, uint64_t sample_interval);

  // Periods since the start, oldest first; grows only under a Quiesce.
  static const RecordingPeriod* history(size_t* count);

  // Mode in force when blocks of `epoch` were born.
  static RecordingMode ModeAt(uint32_t epoch);

  // Stack depth limit in frames and smallest request that gets a stack.
  static uint32_t depth_limit() { return depth_limit_; }
  static uint64_t min_size() { return min_size_; }

  // From the options, before the first block. Not thread-safe.
  static void Init(RecordingMode mode, uint64_t sample_interval,
                   uint32_t depth_limit, uint64_t min_size);

  static constexpr uint32_t kMaxEpoch = (1u << 21) - 1;

 private:
  static std::atomic<RecordingMode> mode_;
  static std::atomic<uint32_t> epoch_;
  static uint32_t depth_limit_;
  static uint64_t min_size_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_RECORDING_H_
