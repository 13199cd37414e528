#include "snapshot/capture_tracebacks.h"

#include "accounting/recording.h"
#include "accounting/traceback_table.h"

namespace heaptally {
namespace {

bool HadMode(RecordingMode mode) {
  size_t count = 0;
  const RecordingPeriod* periods = Recording::history(&count);
  for (size_t i = 0; i < count; ++i) {
    if (periods[i].mode == mode) return true;
  }
  return false;
}

Tally Larger(const Tally& a, const Tally& b) {
  return a.usable > b.usable ? a : b;
}

// With several threads the process peak is off by a bound, and what the records
// leave of it may come out below zero.
uint64_t NotNegative(uint64_t difference) {
  return static_cast<int64_t>(difference) < 0 ? 0 : difference;
}

Tally NotNegative(const Tally& tally) {
  return {NotNegative(tally.blocks), NotNegative(tally.requested),
          NotNegative(tally.usable)};
}

}  // namespace

// Live blocks are told apart by the walk. Of freed ones only the sum is kept:
// it stands at "before recording", unless nothing but sampling ever was.
TracebackRows::TracebackRows(const Tally& sampled_out) {
  const TracebackRecord& record = TracebackTable::RecordAt(kSampledOut);
  const UnrecordedTallies rest = ReadUnrecorded();
  const Tally ever = rest.ever + record.ever;
  const Tally at_peak =
      NotNegative(rest.at_peak) + TracebackTable::AtProcessPeak(record);
  const bool only_sampled =
      HadMode(RecordingMode::kSampled) && !HadMode(RecordingMode::kCounters);
  sampled_out_.current = sampled_out;
  sampled_out_.ever = only_sampled ? ever : sampled_out;
  if (only_sampled) sampled_out_.at_peak = at_peak;
  before_recording_.current = rest.current + record.current() - sampled_out;
  before_recording_.ever = ever - sampled_out_.ever;
  before_recording_.at_peak = at_peak - sampled_out_.at_peak;
  for (TracebackRow* row : {&before_recording_, &sampled_out_}) {
    row->own_peak = Larger(row->current, row->at_peak);
  }
}

// A record's own peak is brought up to date only when it is about to shrink:
// until then it is what the record holds now.
TracebackRow TracebackRows::At(TracebackId id) const {
  if (id == kBeforeRecording) return before_recording_;
  if (id == kSampledOut) return sampled_out_;
  const TracebackRecord& record = TracebackTable::RecordAt(id);
  TracebackRow row;
  row.node = record.node;
  row.current = record.current();
  row.ever = record.ever;
  row.own_peak = Larger(row.current, {record.peak_blocks, record.peak_requested,
                                      record.peak_usable});
  row.at_peak = TracebackTable::AtProcessPeak(record);
  return row;
}

}  // namespace heaptally
