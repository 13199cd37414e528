#include "integration/gtest/measurement.h"

#include <cstdlib>
#include <cstring>

#include "integration/gtest/suppressions.h"

namespace heaptally::gtest {
namespace {

std::string Failure(const char* call) {
  return std::string(call) + " failed: " + strerror(errno);
}

// Stacks are recorded from the first measurement on, for good: each change
// of mode takes a place in a limited history.
bool RecordStacks() {
  heaptally_counters counters;
  if (heaptally_get_counters(&counters) != 0) return false;
  return counters.mode == HEAPTALLY_ALL ||
         heaptally_set_mode(HEAPTALLY_ALL, 0) == 0;
}

Stack PresentStack() {
  void* volatile block = malloc(1);
  Stack stack(heaptally_traceback_of(block, nullptr, 0));
  heaptally_traceback_of(block, stack.data(), stack.size());
  free(block);
  return stack;
}

}  // namespace

std::string WhyInactive() {
  if (heaptally_is_active()) return "";
  return "heaptally is not the allocator of this program, so nothing can be "
         "measured: malloc comes from elsewhere (a sanitizer, or a library "
         "that is preloaded or linked before it)";
}

Measurement::~Measurement() {
  if (interval_ >= 0) heaptally_release_interval(interval_);
}

std::string Measurement::Begin(unsigned wishes, void* caller) {
  if (!RecordStacks()) return Failure("heaptally_set_mode");
  caller_ = caller;
  opener_ = PresentStack();
  interval_ = heaptally_begin_interval(wishes);
  if (interval_ < 0) return Failure("heaptally_begin_interval");
  if (heaptally_get_thread_counters(&before_) != 0) {
    return Failure("heaptally_get_thread_counters");
  }
  return "";
}

std::string Measurement::Stop() {
  const int told = heaptally_get_thread_counters(&after_);
  if (heaptally_stop_interval(interval_, &totals_) != 0) {
    return Failure("heaptally_stop_interval");
  }
  return told == 0 ? "" : Failure("heaptally_get_thread_counters");
}

std::vector<heaptally_block> Measurement::LiveBlocks() const {
  std::vector<heaptally_block> blocks;
  for (;;) {
    const size_t count = heaptally_live_blocks(
        totals_.first_epoch, totals_.last_epoch, blocks.data(), blocks.size());
    if (count == SIZE_MAX) continue;  // a thread is slow to stop
    const bool whole = count <= blocks.size();
    blocks.resize(count);
    if (whole) return blocks;
  }
}

Groups Measurement::Allocations() const {
  std::vector<heaptally_traceback_tally> tallies(
      heaptally_interval_tracebacks(interval_, nullptr, 0));
  heaptally_interval_tracebacks(interval_, tallies.data(), tallies.size());
  Groups groups;
  heaptally_tally unrecorded = totals_.allocated;
  for (const heaptally_traceback_tally& tally : tallies) {
    groups[tally.traceback] = tally.allocated;
    unrecorded.blocks -= tally.allocated.blocks;
    unrecorded.requested -= tally.allocated.requested;
    unrecorded.usable -= tally.allocated.usable;
  }
  if (unrecorded.blocks != 0) groups[0] = unrecorded;
  return groups;
}

Measurement* BeginMeasurement(const Limit& limit, void* caller,
                              std::string* error) {
  *error = WhyInactive();
  if (!error->empty()) return nullptr;
  auto* const measurement = new Measurement;
  const bool leaks = limit.check == Check::kNoLeaks;
  *error = measurement->Begin(
      leaks ? HEAPTALLY_TELL_BLOCKS : HEAPTALLY_TELL_TRACEBACKS, caller);
  if (error->empty()) return measurement;
  delete measurement;
  return nullptr;
}

std::string SuppressLeaks(const std::string& line) {
  return Suppressions::Add(line);
}

std::string SuppressLeaksOf(const std::string& file) {
  return Suppressions::AddFile(file);
}

std::vector<std::string> UnusedSuppressions() { return Suppressions::Unused(); }

}  // namespace heaptally::gtest
