// Which column of a snapshot each section holds: the one list that reader,
// writer and dump share. Constant; safe everywhere.
#ifndef HEAPTALLY_SNAPSHOT_COLUMNS_H_
#define HEAPTALLY_SNAPSHOT_COLUMNS_H_

#include "snapshot/format.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// Calls visit(kind, column) for every column that every snapshot has. `S` is
// Snapshot or const Snapshot.
template <typename S, typename Visit>
void VisitColumns(S& s, Visit visit) {
  visit(format::kRecording, s.recording);
  visit(format::kNodesParent, s.nodes.parent);
  visit(format::kNodesPc, s.nodes.pc);
  auto& t = s.tracebacks;
  visit(format::kTracebacksNode, t.node);
  visit(format::kTracebacksCurrentBlocks, t.current.blocks);
  visit(format::kTracebacksCurrentRequested, t.current.requested);
  visit(format::kTracebacksCurrentUsable, t.current.usable);
  visit(format::kTracebacksEverBlocks, t.ever.blocks);
  visit(format::kTracebacksEverRequested, t.ever.requested);
  visit(format::kTracebacksEverUsable, t.ever.usable);
  visit(format::kTracebacksOwnPeakBlocks, t.own_peak.blocks);
  visit(format::kTracebacksOwnPeakRequested, t.own_peak.requested);
  visit(format::kTracebacksOwnPeakUsable, t.own_peak.usable);
  visit(format::kTracebacksAtPeakBlocks, t.at_peak.blocks);
  visit(format::kTracebacksAtPeakRequested, t.at_peak.requested);
  visit(format::kTracebacksAtPeakUsable, t.at_peak.usable);
  visit(format::kBlocksAddress, s.blocks.address);
  visit(format::kBlocksTraceback, s.blocks.traceback);
  visit(format::kBlocksRequested, s.blocks.requested);
  visit(format::kBlocksUsable, s.blocks.usable);
  visit(format::kBlocksEpoch, s.blocks.epoch);
}

// The columns that only a snapshot with names has.
template <typename N, typename Visit>
void VisitNameColumns(N& names, Visit visit) {
  visit(format::kStrings, names.strings);
  visit(format::kNodeLocation, names.node_location);
  visit(format::kLocationBegin, names.location_begin);
  visit(format::kFrameFunction, names.function);
  visit(format::kFrameFile, names.file);
  visit(format::kFrameLine, names.line);
  visit(format::kFrameFlags, names.flags);
  visit(format::kFrameModule, names.module);
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_COLUMNS_H_
