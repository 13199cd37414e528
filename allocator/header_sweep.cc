#include "allocator/header_sweep.h"

#include <atomic>

#include "accounting/own_memory.h"
#include "accounting/quiesce.h"
#include "accounting/thread_state.h"
#include "allocator/header_store.h"
#include "allocator/heap_thread.h"
#include "allocator/page_map.h"

namespace heaptally {
namespace {

constexpr uint64_t kWorthBytes = 4 << 20;
constexpr uint64_t kCachedMark = 1;

std::atomic<uint64_t> largest{0};  // usable bytes since the last sweep

// A cached block's header is zero although its array is in use.
void MarkCached(uint64_t mark) {
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    auto* const thread = static_cast<HeapThread*>(t);
    for (uint32_t i = kTinyBin; i < kBinEnd; ++i) {
      const Bin& bin = thread->bins[i];
      for (CachedBlock* c = bin.base; c < bin.top; ++c) *c->header = mark;
    }
  }
}

bool IsUnused(PageEntry entry) {
  const uint64_t* const headers = entry.headers();
  const uint32_t count = BlocksPerPage(entry.bin());
  for (uint32_t i = 0; i < count; ++i) {
    if (headers[i] != 0) return false;
  }
  return true;
}

}  // namespace

uint64_t SweepHeaders() {
  Quiesce stop(10, Quiesce::Wait::kTry);
  if (!stop.acquired() || !stop.complete()) return 0;
  MarkCached(kCachedMark);
  uint64_t given_back = 0;
  PageMap::ForEachPage(
      [](void* context, uintptr_t page, PageEntry entry) {
        if (entry.bin() == kLargeBin || !IsUnused(entry)) return;
        PageMap::RemoveSmall(page);
        HeaderStore::Release(entry.headers());
        ++*static_cast<uint64_t*>(context);
      },
      &given_back);
  MarkCached(0);
  return given_back;
}

void SweepHeadersIfDue(uint64_t usable_bytes) {
  const uint64_t most = largest.load(std::memory_order_relaxed);
  if (usable_bytes > most) {
    largest.store(usable_bytes, std::memory_order_relaxed);
  } else if (usable_bytes < most / 4 &&
             OwnMemory::Used(OwnUse::kSideHeaders) > kWorthBytes) {
    if (SweepHeaders() != 0) {
      largest.store(usable_bytes, std::memory_order_relaxed);
    }
  }
}

}  // namespace heaptally
