#include "accounting/recording_cost.h"

#include <atomic>

#include "accounting/arch.h"
#include "accounting/sys_io.h"

namespace heaptally {
namespace {

uint64_t start_ticks = 0;
uint64_t start_ns = 0;
std::atomic<uint64_t> stacks{0};
std::atomic<uint64_t> ticks_of_all{0};

// A thread may be put aside while it is measured: that is no cost of recording.
constexpr uint64_t kLongestTicks = 1 << 20;

}  // namespace

void RecordingCost::Init() {
  start_ns = sys::MonotonicNs();
  start_ticks = Ticks();
}

void RecordingCost::Add(uint64_t ticks) {
  if (ticks > kLongestTicks) return;
  stacks.fetch_add(1, std::memory_order_relaxed);
  ticks_of_all.fetch_add(ticks, std::memory_order_relaxed);
}

RecordingCost::Measured RecordingCost::Read() {
  const uint64_t ticks = Ticks() - start_ticks;
  const uint64_t ns = sys::MonotonicNs() - start_ns;
  if (ticks == 0) return {0, 0};
  const double scale = static_cast<double>(ns) / static_cast<double>(ticks);
  const auto of_all =
      static_cast<double>(ticks_of_all.load(std::memory_order_relaxed));
  return {stacks.load(std::memory_order_relaxed),
          static_cast<uint64_t>(of_all * scale)};
}

}  // namespace heaptally
