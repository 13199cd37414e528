// The counters of a traceback as a snapshot records them. Exact in a
// snapshot's child and while every thread stands still with the peak settled.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_TRACEBACKS_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_TRACEBACKS_H_

#include "accounting/recorder.h"
#include "accounting/tally.h"
#include "accounting/types.h"

namespace heaptally {

struct TracebackRow {
  NodeId node = 0;
  Tally current;
  Tally ever;
  Tally own_peak;  // at this traceback's own usable maximum
  Tally at_peak;   // at the process's usable maximum
};

class TracebackRows {
 public:
  // `sampled_out`: the live blocks that a walk found to be so. The books hold
  // those together with the ones from before recording.
  explicit TracebackRows(const Tally& sampled_out);

  TracebackRow At(TracebackId id) const;

 private:
  TracebackRow before_recording_;
  TracebackRow sampled_out_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_TRACEBACKS_H_
