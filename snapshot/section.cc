#include "snapshot/section.h"

#include "absl/strings/str_format.h"
#include "snapshot/format.h"

namespace heaptally {
namespace {

using G = SectionGroup;

constexpr SectionInfo kSections[] = {
    {format::kFacts, "facts", 1, G::kAlone, true},
    {format::kCapture, "capture", 1, G::kAlone, false},
    {format::kModules, "modules", 1, G::kAlone, false},
    {format::kNotes, "notes", 1, G::kAlone, false},
    {format::kRecording, "recording", 24, G::kAlone, false},
    {format::kNodesParent, "nodes.parent", 4, G::kNodes, true},
    {format::kNodesPc, "nodes.pc", 8, G::kNodes, true},
    {format::kTracebacksNode, "tracebacks.node", 4, G::kTracebacks, true},
    {format::kTracebacksCurrentBlocks, "tracebacks.current.blocks", 8,
     G::kTracebacks, true},
    {format::kTracebacksCurrentRequested, "tracebacks.current.requested", 8,
     G::kTracebacks, true},
    {format::kTracebacksCurrentUsable, "tracebacks.current.usable", 8,
     G::kTracebacks, true},
    {format::kTracebacksEverBlocks, "tracebacks.ever.blocks", 8, G::kTracebacks,
     true},
    {format::kTracebacksEverRequested, "tracebacks.ever.requested", 8,
     G::kTracebacks, true},
    {format::kTracebacksEverUsable, "tracebacks.ever.usable", 8, G::kTracebacks,
     true},
    {format::kTracebacksOwnPeakBlocks, "tracebacks.own_peak.blocks", 8,
     G::kTracebacks, true},
    {format::kTracebacksOwnPeakRequested, "tracebacks.own_peak.requested", 8,
     G::kTracebacks, true},
    {format::kTracebacksOwnPeakUsable, "tracebacks.own_peak.usable", 8,
     G::kTracebacks, true},
    {format::kTracebacksAtPeakBlocks, "tracebacks.at_peak.blocks", 8,
     G::kTracebacks, true},
    {format::kTracebacksAtPeakRequested, "tracebacks.at_peak.requested", 8,
     G::kTracebacks, true},
    {format::kTracebacksAtPeakUsable, "tracebacks.at_peak.usable", 8,
     G::kTracebacks, true},
    {format::kBlocksAddress, "blocks.address", 8, G::kBlocks, true},
    {format::kBlocksTraceback, "blocks.traceback", 4, G::kBlocks, true},
    {format::kBlocksRequested, "blocks.requested", 8, G::kBlocks, true},
    {format::kBlocksUsable, "blocks.usable", 8, G::kBlocks, true},
    {format::kBlocksEpoch, "blocks.epoch", 4, G::kBlocks, true},
    {format::kStrings, "names.strings", 1, G::kAlone, false},
    {format::kNodeLocation, "names.node_location", 4, G::kNodes, false},
    {format::kLocationBegin, "names.location_begin", 4, G::kAlone, false},
    {format::kFrameFunction, "names.function", 4, G::kFrames, false},
    {format::kFrameFile, "names.file", 4, G::kFrames, false},
    {format::kFrameLine, "names.line", 4, G::kFrames, false},
    {format::kFrameFlags, "names.flags", 4, G::kFrames, false},
    {format::kFrameModule, "names.module", 4, G::kFrames, false},
    {format::kMissing, "names.missing", 1, G::kAlone, false},
};

}  // namespace

absl::Span<const SectionInfo> KnownSections() { return kSections; }

const SectionInfo* FindSection(uint32_t kind) {
  for (const SectionInfo& info : kSections) {
    if (info.kind == kind) return &info;
  }
  return nullptr;
}

std::string SectionName(uint32_t kind) {
  const SectionInfo* info = FindSection(kind);
  return info != nullptr ? std::string(info->name)
                         : absl::StrFormat("0x%04x", kind);
}

}  // namespace heaptally
