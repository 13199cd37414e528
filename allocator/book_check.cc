#include "allocator/book_check.h"

#include "accounting/own_memory.h"
#include "accounting/recorder.h"
#include "accounting/recording.h"
#include "accounting/thread_state.h"
#include "accounting/traceback_table.h"
#include "allocator/block_walk.h"
#include "allocator/heap_thread.h"
#include "allocator/page_map.h"

namespace heaptally {
namespace {

struct Checker {
  BookCheck result;
  Tally* by_traceback = nullptr;
  uint32_t traceback_count = 0;

  void Fault(BookFault fault, uint64_t place) {
    if (result.faults++ != 0) return;
    result.first_fault = fault;
    result.first_place = place;
  }
};

void CheckPage(void* context, uintptr_t page, PageEntry entry) {
  Checker& checker = *static_cast<Checker*>(context);
  ++checker.result.pages;
  const uint32_t bin = entry.bin();
  if (bin == kLargeBin) return;
  if (bin < kFirstClassBin || bin >= kBinEnd) {
    checker.Fault(BookFault::kPageBin, page);
  } else if (entry.first() >= kBlockSizes[bin]) {
    checker.Fault(BookFault::kFirstOffset, page);
  }
}

void CheckBlock(void* context, const LiveBlock& block) {
  Checker& checker = *static_cast<Checker*>(context);
  const Tally tally{1, block.requested, block.usable};
  checker.result.blocks += tally;
  if (block.traceback >= checker.traceback_count) {
    checker.Fault(BookFault::kTracebackId, block.address);
  } else {
    checker.by_traceback[block.traceback] += tally;
  }
  if (block.requested > block.usable) {
    checker.Fault(BookFault::kSlop, block.address);
  }
  if (block.epoch > Recording::epoch()) {
    checker.Fault(BookFault::kEpoch, block.address);
  }
}

void CheckCaches(Checker& checker) {
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    auto* const thread = static_cast<HeapThread*>(t);
    for (uint32_t i = kTinyBin; i < kBinEnd; ++i) {
      const Bin& bin = thread->bins[i];
      for (const CachedBlock* c = bin.base; c < bin.top; ++c) {
        ++checker.result.cached;
        const PageEntry entry = PageMap::Lookup(c->block);
        const uint32_t page_bin = i == kTinyBin ? kFirstClassBin : i;
        if (entry.bin() != page_bin || *c->header != 0 ||
            PageMap::HeaderAt(entry, c->block) != c->header) {
          checker.Fault(BookFault::kCachedBlock,
                        reinterpret_cast<uintptr_t>(c->block));
        }
      }
    }
  }
}

void CheckRecords(Checker& checker) {
  for (TracebackId id = kSampledOut + 1; id < checker.traceback_count; ++id) {
    const Tally current = TracebackTable::RecordAt(id).current();
    if (!(current == checker.by_traceback[id])) {
      checker.Fault(BookFault::kTracebackSums, id);
    }
  }
  // Blocks without a record are told apart by their epoch only.
  const Tally unrecorded = checker.by_traceback[kBeforeRecording] +
                           checker.by_traceback[kSampledOut];
  if (!(ReadUnrecorded().current == unrecorded)) {
    checker.Fault(BookFault::kTracebackSums, kBeforeRecording);
  }
}

}  // namespace

const char* BookFaultName(BookFault fault) {
  constexpr const char* kNames[] = {
      "none",  "page_bin",     "first_offset",   "traceback_id", "slop",
      "epoch", "cached_block", "traceback_sums", "no_memory"};
  return kNames[static_cast<uint32_t>(fault)];
}

BookCheck CheckBooks() {
  Checker checker;
  checker.traceback_count = TracebackTable::TracebackCount();
  const size_t bytes = sizeof(Tally) * checker.traceback_count;
  checker.by_traceback =
      static_cast<Tally*>(OwnMemory::Map(bytes, OwnUse::kOther));
  if (checker.by_traceback == nullptr) {
    checker.Fault(BookFault::kNoMemory, 0);
    return checker.result;
  }
  PageMap::ForEachPage(CheckPage, &checker);
  // Headers are only as good as the entries that lead to them.
  if (checker.result.faults == 0) {
    ForEachBlock(CheckBlock, &checker);
    CheckCaches(checker);
    CheckRecords(checker);
  }
  OwnMemory::Unmap(checker.by_traceback, bytes, OwnUse::kOther);
  return checker.result;
}

}  // namespace heaptally
