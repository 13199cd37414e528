#include "snapshot/capture_facts.h"

#include <sys/utsname.h>

#include "accounting/own_memory.h"
#include "accounting/process_counters.h"
#include "accounting/recording.h"
#include "accounting/recording_cost.h"
#include "accounting/sys_io.h"
#include "accounting/thread_state.h"
#include "accounting/traceback_table.h"
#include "accounting/types.h"
#include "accounting/walk_report.h"
#include "allocator/foreign.h"
#include "allocator/heap_thread.h"
#include "allocator/nested.h"
#include "allocator/runtime.h"
#include "snapshot/capture_process.h"

#ifndef HEAPTALLY_VERSION
#error "the build sets HEAPTALLY_VERSION"
#endif

namespace heaptally {
namespace {

constexpr size_t kMaxCommand = 4096;

void WriteTally(TextWriter& out, const char* name, const Tally& tally) {
  out.Text(name).Fact(".blocks", tally.blocks);
  out.Text(name).Fact(".requested", tally.requested);
  out.Text(name).Fact(".usable", tally.usable);
}

void WriteProcess(TextWriter& out, const FactsMoment& moment) {
  const ProcessNumbers numbers = ProcessNumbers::Read(moment.pid);
  const ProcessIdentity& identity = GetProcessIdentity();
  out.Fact("pid", static_cast<uint64_t>(moment.pid));
  out.Fact("ppid", numbers.parent);
  out.Fact("uid", static_cast<uint64_t>(sys::Call(SYS_getuid)));
  out.Fact("started_ns", identity.started_unix_ns);
  out.Fact("taken_ns", moment.unix_ns);
  out.Text("process_id=");
  for (const unsigned char byte : identity.bytes) out.Hex(byte, 2);
  out.Char('\n');
  out.Fact("runtime_version", HEAPTALLY_VERSION);
  out.Fact("rss", numbers.resident_bytes);
}

// Texts of any length, so that they come last.
void WriteCommand(TextWriter& out) {
  utsname host = {};
  sys::Call(SYS_uname, sys::Arg(&host));
  out.Fact("host", host.nodename);
  char text[kMaxCommand];
  intptr_t n = sys::Call(SYS_readlink, sys::Arg("/proc/self/exe"),
                         sys::Arg(text), sizeof(text));
  out.Fact("exe", text, n > 0 ? static_cast<size_t>(n) : 0);
  n = sys::ReadFile("/proc/self/cmdline", text, sizeof(text));
  if (n < 0) n = 0;
  while (n > 0 && text[n - 1] == '\0') --n;
  for (intptr_t i = 0; i < n; ++i) {
    if (text[i] == '\0') text[i] = ' ';
  }
  out.Fact("command", text, static_cast<size_t>(n));
}

void WriteRecording(TextWriter& out, uint32_t epoch) {
  out.Fact("mode", ModeName(static_cast<uint32_t>(Recording::mode())));
  out.Fact("sample_interval", Recording::sample_interval());
  out.Fact("depth_limit", Recording::depth_limit());
  out.Fact("min_size", Recording::min_size());
  out.Fact("epoch", epoch);
  out.Fact("epoch_saturated", Recording::epoch_saturated());
  out.Fact("tracebacks_count", TracebackTable::TracebackCount());
  out.Fact("nodes_count", TracebackTable::NodeCount());
  out.Fact("table_full_blocks", TracebackTable::FullCount());
  const RecordingCost::Measured cost = RecordingCost::Read();
  out.Fact("recording.measured_stacks", cost.stacks);
  out.Fact("recording.measured_ns", cost.ns);
}

void WriteTotals(TextWriter& out) {
  const ProcessTotals totals = ReadTotals();
  WriteTally(out, "current", totals.current);
  WriteTally(out, "peak", totals.peak);
  WriteTally(out, "ever", totals.ever);
  out.Fact("peak_bound", totals.peak_bound);
  out.Fact("threads", totals.threads);
}

void WriteOwnMemory(TextWriter& out) {
  out.Fact("own.total", OwnMemory::TotalUsed());
  out.Fact("own.side_headers", OwnMemory::Used(OwnUse::kSideHeaders));
  out.Fact("own.page_map", OwnMemory::Used(OwnUse::kPageMap));
  out.Fact("own.tracebacks", OwnMemory::Used(OwnUse::kTracebacks));
  out.Fact("own.threads", OwnMemory::Used(OwnUse::kThreads));
  out.Fact("own.other", OwnMemory::Used(OwnUse::kOther));
}

void WriteCoverage(TextWriter& out) {
  constexpr const char* kEnds[kWalkEndEnd] = {
      nullptr,         "walks.complete",  "walks.depth_limit",
      "walks.no_rule", "walks.bad_frame", "walks.foreign_stack"};
  WalkCounts walks = GetWalkCounts();
  // What the threads have not added yet.
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    walks.ends[static_cast<uint32_t>(WalkEnd::kComplete)] +=
        t->walk.unfolded_walks();
  }
  for (uint32_t end = 1; end < kWalkEndEnd; ++end) {
    out.Fact(kEnds[end], walks.ends[end]);
  }
  out.Fact("walks_verified", walks.verified);
  out.Fact("walks_different", walks.different);
  out.Fact("foreign_frees", ForeignFrees());
  out.Fact("foreign_reallocs", ForeignReallocations());
  out.Fact("nested_allocations", NestedAllocations());
  out.Fact("cached_blocks", CountCachedBlocks());
}

}  // namespace

const char* ModeName(uint32_t mode) {
  constexpr const char* kNames[] = {"counters", "sampled", "all"};
  return mode < 3 ? kNames[mode] : "unknown";
}

void WriteFacts(TextWriter& out, const FactsMoment& moment,
                const WalkedSums* sums) {
  WriteProcess(out, moment);
  WriteRecording(out, moment.epoch);
  WriteTotals(out);
  WriteOwnMemory(out);
  WriteCoverage(out);
  if (sums != nullptr) {
    WriteTally(out, "side_headers", sums->side_headers);
    WriteTally(out, "tracebacks", sums->tracebacks);
    const BookCheck& check = sums->check;
    out.Fact("pages", check.pages);
    out.Fact("books.faults", check.faults);
    out.Fact("books.first_fault", BookFaultName(check.first_fault));
    out.Fact("books.first_place", check.first_place);
  }
  WriteCommand(out);
}

}  // namespace heaptally
