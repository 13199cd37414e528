// The calling-context tree and the tracebacks' counters.
//
// A node is (parent, return address); its id never changes and the node never
// moves. A traceback is a node at which blocks were allocated; its record has
// the counters. Lock-free: look-up and insert may run in any number of
// threads. Growth of the bucket array and everything marked so needs a
// Quiesce. Memory comes from OwnMemory; when it is refused or the limit of
// tracebacks is reached, ids run out: kTableFull.
#ifndef HEAPTALLY_ACCOUNTING_TRACEBACK_TABLE_H_
#define HEAPTALLY_ACCOUNTING_TRACEBACK_TABLE_H_

#include <atomic>
#include <cstdint>

#include "accounting/tally.h"
#include "accounting/types.h"

namespace heaptally {

struct TracebackNode {
  // Return address; the top 16 bits name the module generation: 0 as long as
  // the module is loaded (see modules.h).
  std::atomic<uint64_t> pc;
  NodeId parent;
  std::atomic<NodeId> next;            // in the bucket
  std::atomic<NodeId> last_child;      // a guess that saves most look-ups
  std::atomic<TracebackId> traceback;  // 0: no block was allocated here
};
static_assert(sizeof(TracebackNode) == 24);

// Equations: current = ever − freed; current.usable <= max(peak_usable, …)
// where peak_usable is brought up to date when the traceback is about to
// shrink. The first line is all that a malloc or free touches, except when a
// maximum is saved.
struct alignas(128) TracebackRecord {
  NodeId node;
  std::atomic<uint32_t> peak_epoch;  // in which `at_peak` was saved
  Tally current;
  Tally ever;
  uint64_t peak_usable;  // of this traceback on its own

  uint64_t peak_blocks;  // at the moment of peak_usable
  uint64_t peak_requested;
  Tally at_peak;  // value at the process peak, if peak_epoch is the current
};
static_assert(sizeof(TracebackRecord) == 128);

class TracebackTable {
 public:
  // Ids fit in 28 bits of the side header.
  static constexpr TracebackId kMaxTracebacks = (1u << 28) - 1;
  static constexpr NodeId kMaxNodes = (1u << 28) - 1;

  // At most `max_tracebacks` records (0: kMaxTracebacks). Once, at start.
  static bool Init(TracebackId max_tracebacks);

  // The child of `parent` for `pc`; 0 when the table is full.
  static NodeId Child(NodeId parent, uintptr_t pc);

  // The traceback of `node`; kTableFull when there is no room.
  static TracebackId TracebackOf(NodeId node);

  // Ids in use are 0 … count − 1, those below 16 being reserved.
  static uint32_t NodeCount();
  static uint32_t TracebackCount();
  static const TracebackNode& NodeAt(NodeId id);
  static TracebackRecord& RecordAt(TracebackId id);

  // Grows the bucket array when it is due; takes Quiesce with kTry. Called by
  // the recorder outside of a look-up.
  static bool NeedsGrowth();
  static void Grow();

  // Retags nodes whose pc lies in an unloaded module, so that code that is
  // loaded there later is never mistaken for it. Takes a Quiesce.
  static void RetireRange(uintptr_t start, uintptr_t end, uint16_t generation);

  // Times that a block got kTableFull.
  static uint64_t FullCount();
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_TRACEBACK_TABLE_H_
