#include "accounting/traceback_table.h"

#include "accounting/own_memory.h"
#include "accounting/process_counters.h"
#include "accounting/quiesce.h"

namespace heaptally {

internal::ChunkedArray<TracebackNode, 16, 28> TracebackTable::nodes_;
internal::ChunkedArray<TracebackRecord, 14, 28> TracebackTable::records_;
std::atomic<uint32_t> TracebackTable::node_count_{0};
std::atomic<uint32_t> TracebackTable::growth_limit_{0};

namespace {

// Makes element i exist; false when memory is refused.
template <typename T, unsigned kChunkBits, unsigned kIndexBits>
bool Ensure(internal::ChunkedArray<T, kChunkBits, kIndexBits>& array,
            uint32_t i) {
  if (array.Has(i)) return true;
  constexpr size_t kBytes = sizeof(T) << kChunkBits;
  T* fresh = static_cast<T*>(OwnMemory::Reserve(kBytes));
  if (fresh == nullptr) return false;
  T* expected = nullptr;
  if (!array.chunks[i >> kChunkBits].compare_exchange_strong(
          expected, fresh, std::memory_order_acq_rel)) {
    OwnMemory::Discard(fresh, kBytes);
  }
  return true;
}

constexpr uint64_t kPcMask = (uint64_t{1} << 48) - 1;

std::atomic<uint32_t> record_count{0};
std::atomic<uint64_t> full_count{0};
TracebackId record_limit = TracebackTable::kMaxTracebacks;

// Heads of the chains of nodes. Replaced as a whole under a Quiesce.
struct Buckets {
  uint32_t bits;
  std::atomic<NodeId>* heads;
};
Buckets buckets{0, nullptr};
constexpr uint32_t kFirstBucketBits = 12;
constexpr uint32_t kGrowthBits = 2;

uint32_t BucketOf(NodeId parent, uint64_t pc) {
  const uint64_t key = pc * 0x9e3779b97f4a7c15 + parent;
  return static_cast<uint32_t>((key * 0xd6e8feb86659fd93) >>
                               (64 - buckets.bits));
}

std::atomic<NodeId>* NewHeads(uint32_t bits) {
  return static_cast<std::atomic<NodeId>*>(
      OwnMemory::Map(sizeof(std::atomic<NodeId>) << bits, OwnUse::kTracebacks));
}

// Takes the next id below `limit`; 0 when there is none.
uint32_t TakeId(std::atomic<uint32_t>& count, uint32_t limit) {
  uint32_t id = count.load(std::memory_order_relaxed);
  do {
    if (id >= limit) return 0;
  } while (!count.compare_exchange_weak(id, id + 1, std::memory_order_relaxed));
  return id;
}

// The node in the chain from `id` up to, not including, `end`; 0 if none.
NodeId FindInChain(NodeId id, NodeId end, NodeId parent, uint64_t pc) {
  while (id != end && id != 0) {
    const TracebackNode& node = TracebackTable::NodeAt(id);
    if (node.pc.load(std::memory_order_relaxed) == pc &&
        node.parent == parent) {
      return id;
    }
    id = node.next.load(std::memory_order_relaxed);
  }
  return 0;
}

}  // namespace

bool TracebackTable::Init(TracebackId max_tracebacks) {
  if (max_tracebacks != 0 && max_tracebacks < kMaxTracebacks) {
    record_limit = max_tracebacks + kFirstTraceback;
  }
  std::atomic<NodeId>* heads = NewHeads(kFirstBucketBits);
  if (heads == nullptr || !Ensure(nodes_, 0) || !Ensure(records_, 0))
    return false;
  buckets = {kFirstBucketBits, heads};
  growth_limit_.store(1u << kFirstBucketBits, std::memory_order_relaxed);
  node_count_.store(kFirstNode, std::memory_order_relaxed);
  record_count.store(kFirstTraceback, std::memory_order_relaxed);
  return true;
}

NodeId TracebackTable::NewNode(NodeId parent, uint64_t pc) {
  const NodeId id = TakeId(node_count_, kMaxNodes);
  if (id == 0 || !Ensure(nodes_, id)) return 0;
  OwnMemory::Count(OwnUse::kTracebacks, sizeof(TracebackNode));
  nodes_[id].parent = parent;
  nodes_[id].pc.store(pc, std::memory_order_relaxed);
  return id;
}

NodeId TracebackTable::FindOrInsert(NodeId parent, uintptr_t pc) {
  std::atomic<NodeId>& last = nodes_[parent].last_child;
  std::atomic<NodeId>& bucket = buckets.heads[BucketOf(parent, pc)];
  NodeId head = bucket.load(std::memory_order_acquire);
  NodeId found = FindInChain(head, 0, parent, pc);
  if (found != 0) {
    last.store(found, std::memory_order_release);
    return found;
  }
  const NodeId fresh = NewNode(parent, pc);
  if (fresh == 0) return 0;
  for (;;) {
    nodes_[fresh].next.store(head, std::memory_order_relaxed);
    NodeId seen = head;
    if (bucket.compare_exchange_strong(seen, fresh,
                                       std::memory_order_acq_rel)) {
      last.store(fresh, std::memory_order_release);
      return fresh;
    }
    // Somebody was quicker; a node that lost stays unused.
    found = FindInChain(seen, head, parent, pc);
    if (found != 0) return found;
    head = seen;
  }
}

TracebackId TracebackTable::NewTraceback(NodeId node) {
  const TracebackId id = TakeId(record_count, record_limit);
  if (id == 0 || !Ensure(records_, id)) return CountFull();
  OwnMemory::Count(OwnUse::kTracebacks, sizeof(TracebackRecord));
  records_[id].node = node;
  TracebackId seen = 0;
  if (nodes_[node].traceback.compare_exchange_strong(
          seen, id, std::memory_order_acq_rel)) {
    return id;
  }
  // Another thread was quicker: one node has one traceback, and a record that
  // lost stays unused.
  records_[id].node = 0;
  return seen;
}

uint32_t TracebackTable::TracebackCount() {
  return record_count.load(std::memory_order_relaxed);
}

void TracebackTable::Grow() {
  Quiesce stop(10, Quiesce::Wait::kTry);
  if (!stop.acquired() || !stop.complete() || !NeedsGrowth()) return;
  const Buckets old = buckets;
  std::atomic<NodeId>* heads = NewHeads(old.bits + kGrowthBits);
  if (heads == nullptr) return;
  buckets = {old.bits + kGrowthBits, heads};
  for (uint32_t b = 0; b < 1u << old.bits; ++b) {
    NodeId id = old.heads[b].load(std::memory_order_relaxed);
    while (id != 0) {
      TracebackNode& node = nodes_[id];
      const NodeId next = node.next.load(std::memory_order_relaxed);
      const uint64_t pc = node.pc.load(std::memory_order_relaxed) & kPcMask;
      std::atomic<NodeId>& head = heads[BucketOf(node.parent, pc)];
      node.next.store(head.load(std::memory_order_relaxed),
                      std::memory_order_relaxed);
      head.store(id, std::memory_order_relaxed);
      id = next;
    }
  }
  growth_limit_.store(1u << buckets.bits, std::memory_order_relaxed);
  OwnMemory::Unmap(old.heads, sizeof(NodeId) << old.bits, OwnUse::kTracebacks);
}

void TracebackTable::RetireRange(uintptr_t start, uintptr_t end,
                                 uint16_t generation) {
  const uint32_t count = NodeCount();
  for (NodeId id = kFirstNode; id < count; ++id) {
    if (!nodes_.Has(id)) continue;
    std::atomic<uint64_t>& pc = nodes_[id].pc;
    const uint64_t value = pc.load(std::memory_order_relaxed);
    if (value < start || value >= end) continue;  // also those retired before
    pc.store(value | uint64_t{generation} << 48, std::memory_order_relaxed);
  }
}

TracebackId TracebackTable::CountFull() {
  full_count.fetch_add(1, std::memory_order_relaxed);
  return kTableFull;
}

uint64_t TracebackTable::FullCount() {
  return full_count.load(std::memory_order_relaxed);
}

Tally TracebackTable::OwnPeak(const TracebackRecord& record) {
  const Tally current = record.current();
  if (current.usable > record.peak_usable) return current;
  return {record.peak_blocks, record.peak_requested, record.peak_usable};
}

Tally TracebackTable::AtProcessPeak(const TracebackRecord& record) {
  const bool saved =
      record.peak_epoch.load(std::memory_order_relaxed) == PeakEpoch();
  return saved ? record.at_peak : record.current();
}

}  // namespace heaptally
