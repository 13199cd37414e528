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

// Equations: current = ever − freed; the traceback's own peak is the larger of
// `peak` and current, `peak` being brought up to date when the traceback is
// about to shrink. The first line is all that a malloc or free touches, except
// when a maximum is saved.
struct alignas(128) TracebackRecord {
  NodeId node;
  std::atomic<uint32_t> peak_epoch;  // in which `at_peak` was saved
  Tally ever;
  Tally freed;
  uint64_t peak_usable;  // of this traceback on its own

  uint64_t peak_blocks;  // at the moment of peak_usable
  uint64_t peak_requested;
  Tally at_peak;  // value at the process peak, if peak_epoch is the current

  Tally current() const { return ever - freed; }
};
static_assert(sizeof(TracebackRecord) == 128);

namespace internal {

// An array that grows by chunks of OwnMemory; elements never move.
template <typename T, unsigned kChunkBits, unsigned kIndexBits>
struct ChunkedArray {
  static constexpr uint32_t kChunkSize = 1u << kChunkBits;

  T& operator[](uint32_t i) const {
    return chunks[i >> kChunkBits].load(
        std::memory_order_acquire)[i & (kChunkSize - 1)];
  }

  bool Has(uint32_t i) const {
    return chunks[i >> kChunkBits].load(std::memory_order_acquire) != nullptr;
  }

  std::atomic<T*> chunks[1u << (kIndexBits - kChunkBits)];
};

}  // namespace internal

class TracebackTable {
 public:
  // Ids fit in 28 bits of the side header.
  static constexpr TracebackId kMaxTracebacks = (1u << 28) - 1;
  static constexpr NodeId kMaxNodes = (1u << 28) - 1;

  // At most `max_tracebacks` records (0: kMaxTracebacks). Once, at start.
  static bool Init(TracebackId max_tracebacks);
  static bool IsUp() { return NodeCount() != 0; }

  // The child of `parent` for `pc`; 0 when the table is full.
  // Fast case: the child that was asked for last.
  static NodeId Child(NodeId parent, uintptr_t pc) {
    const NodeId guess =
        nodes_[parent].last_child.load(std::memory_order_acquire);
    if (guess != 0 && nodes_[guess].pc.load(std::memory_order_relaxed) == pc) {
      return guess;
    }
    return FindOrInsert(parent, pc);
  }

  // The traceback of `node`; kTableFull when there is no room.
  static TracebackId TracebackOf(NodeId node) {
    const TracebackId id =
        nodes_[node].traceback.load(std::memory_order_acquire);
    return id != 0 ? id : NewTraceback(node);
  }

  // Ids in use are 0 … count − 1, those below 16 being reserved.
  static uint32_t NodeCount() {
    return node_count_.load(std::memory_order_relaxed);
  }
  static uint32_t TracebackCount();
  static const TracebackNode& NodeAt(NodeId id) { return nodes_[id]; }
  static TracebackRecord& RecordAt(TracebackId id) { return records_[id]; }

  // Grows the bucket array when it is due; takes Quiesce with kTry. Called by
  // the recorder outside of a look-up.
  static bool NeedsGrowth() {
    return NodeCount() > growth_limit_.load(std::memory_order_relaxed);
  }
  static void Grow();

  // Retags nodes whose pc lies in an unloaded module, so that code that is
  // loaded there later is never mistaken for it. Needs no Quiesce: no live
  // stack can lead through the module.
  static void RetireRange(uintptr_t start, uintptr_t end, uint16_t generation);

  // Notes that a block has no traceback because the table is full.
  static TracebackId CountFull();

  // Times that a block got kTableFull.
  static uint64_t FullCount();

  // What a report shows of a traceback. Exact under a Quiesce. For
  // kBeforeRecording, which the hot path does not count, see
  // UnrecordedTallies() in recorder.h.
  static Tally OwnPeak(const TracebackRecord& record);
  static Tally AtProcessPeak(const TracebackRecord& record);

 private:
  static NodeId FindOrInsert(NodeId parent, uintptr_t pc);
  static NodeId NewNode(NodeId parent, uint64_t pc);
  static TracebackId NewTraceback(NodeId node);

  static internal::ChunkedArray<TracebackNode, 16, 28> nodes_;
  static internal::ChunkedArray<TracebackRecord, 14, 28> records_;
  static std::atomic<uint32_t> node_count_;
  static std::atomic<uint32_t> growth_limit_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_TRACEBACK_TABLE_H_
