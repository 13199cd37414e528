// The functions of heaptally.h. Ordinary threads only.
#define HEAPTALLY_ENABLE 1
#include <stdlib.h>

#include "accounting/own_memory.h"
#include "accounting/process_counters.h"
#include "accounting/recording.h"
#include "accounting/text_writer.h"
#include "accounting/traceback_table.h"
#include "allocator/block_walk.h"
#include "integration/api/heaptally.h"
#include "snapshot/capture_to_path.h"

namespace {

using heaptally::Recording;
using heaptally::RecordingMode;

int Fail(int error) {
  errno = error;
  return -1;
}

heaptally_tally Convert(const heaptally::Tally& tally) {
  return {tally.blocks, tally.requested, tally.usable};
}

// The generation of an unloaded module, in the top bits, is no part of an
// address.
void* AddressOf(uint64_t pc) {
  constexpr int kGenerationBits = 16;
  return reinterpret_cast<void*>(pc << kGenerationBits >> kGenerationBits);
}

}  // namespace

int heaptally_is_active(void) {
  void* volatile block = malloc(1);  // by the name that the program uses
  heaptally::LiveBlock found;
  const bool ours = block != nullptr && heaptally::FindBlock(block, &found);
  free(block);
  return ours;
}

int heaptally_snapshot(const char* path, const char* label) {
  if (path == nullptr || path[0] == '\0') return Fail(EINVAL);
  heaptally::CaptureOptions options;
  options.label = label == nullptr ? "" : label;
  options.label_size = heaptally::TextLength(options.label);
  const heaptally::CaptureResult result =
      heaptally::CaptureToPath(path, options);
  return result.error == 0 ? 0 : Fail(result.error);
}

int heaptally_get_counters(struct heaptally_counters* counters) {
  const heaptally::ProcessTotals totals = heaptally::ReadTotals();
  counters->current = Convert(totals.current);
  counters->peak = Convert(totals.peak);
  counters->ever = Convert(totals.ever);
  counters->peak_bound = totals.peak_bound;
  counters->own_bytes = heaptally::OwnMemory::TotalUsed();
  counters->mode = static_cast<uint64_t>(Recording::mode());
  counters->sample_interval = Recording::sample_interval();
  counters->epoch = Recording::epoch();
  return 0;
}

int heaptally_set_mode(enum heaptally_mode mode, uint64_t sample_interval) {
  if (mode < HEAPTALLY_COUNTERS || mode > HEAPTALLY_ALL ||
      (mode == HEAPTALLY_SAMPLED && sample_interval == 0)) {
    return Fail(EINVAL);
  }
  const auto wanted = static_cast<RecordingMode>(mode);
  return Recording::Set(wanted, sample_interval) ? 0 : Fail(EAGAIN);
}

int heaptally_reset_peak(void) {
  return heaptally::ResetPeak() ? 0 : Fail(EAGAIN);
}

size_t heaptally_traceback_of(const void* block, void** frames, size_t max) {
  heaptally::LiveBlock found;
  if (!heaptally::FindBlock(block, &found)) return 0;
  return heaptally_traceback(found.traceback, frames, max);
}

size_t heaptally_traceback(uint32_t traceback, void** frames, size_t max) {
  using heaptally::TracebackTable;
  if (traceback < heaptally::kFirstTraceback ||
      traceback >= TracebackTable::TracebackCount()) {
    return 0;
  }
  size_t count = 0;
  heaptally::NodeId id = TracebackTable::RecordAt(traceback).node;
  while (id >= heaptally::kFirstNode) {
    const heaptally::TracebackNode& node = TracebackTable::NodeAt(id);
    if (count < max) {
      frames[count] = AddressOf(node.pc.load(std::memory_order_relaxed));
    }
    ++count;
    id = node.parent;
  }
  return count;
}
