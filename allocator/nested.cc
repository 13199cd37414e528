#include "allocator/nested.h"

#include <sys/mman.h>

#include "accounting/arch.h"
#include "accounting/recorder.h"
#include "accounting/sys.h"
#include "allocator/foreign.h"
#include "allocator/heap_thread.h"
#include "allocator/jemalloc.h"
#include "allocator/operation.h"

namespace heaptally {
namespace {

std::atomic<uint64_t> allocations{0};

// Counted on the thread's own state by single instructions, or on the spare
// one while the thread has none.
void Count(bool allocated, uint64_t requested, uint64_t usable) {
  ThreadState* thread = current_thread;
  const bool spare = thread == nullptr;
  if (spare) thread = HeapThread::Spare();
  auto* add = spare ? AddShared : AddOwn;
  if (allocated) {
    add(thread->allocated.blocks, 1);
    add(thread->allocated.requested, requested);
    add(thread->allocated.usable, usable);
  } else {
    add(thread->freed_blocks, 1);
    add(thread->freed_requested, requested);
  }
  add(reinterpret_cast<uint64_t&>(thread->room), allocated ? -usable : usable);
}

void CountForTraceback(TracebackId id, Tally TracebackRecord::*side,
                       uint64_t requested, uint64_t usable) {
  if (id == kBeforeRecording) return;
  AddTo(TracebackTable::RecordAt(id).*side, requested, usable,
        ThreadRegistry::many());
}

void Defer(void* p) {
  ThreadState* const thread = current_thread;
  if (thread == nullptr) {
    // Otherwise lost: the thread is at its first operation, and interrupted.
    if (!Operation::MayBeInsideJemalloc()) jemalloc::Free(p);
    return;
  }
  void* next = thread->deferred.load(std::memory_order_relaxed);
  do {
    *static_cast<void**>(p) = next;
  } while (!thread->deferred.compare_exchange_weak(next, p,
                                                   std::memory_order_release));
  thread->Demand(kDeferred);
}

void FreeLarge(void* p, LargeHeader* header) {
  CountForTraceback(header->traceback, &TracebackRecord::freed,
                    header->requested, header->usable);
  Count(false, header->requested, header->usable);
  const bool mapped = header->mapped != 0;
  if (mapped) {
    UnmapNested(p, header);
  } else {
    PageMap::RemoveLarge(p);
    LargeHeaders::Release(header);
    Defer(p);
  }
}

void FreeSmall(void* p, PageEntry entry) {
  uint64_t* const place = PageMap::HeaderAt(entry, p);
  const SideHeader header(*place);
  if (!header.is_block()) {
    CountForeignFree();
    return;
  }
  *place = 0;
  const uint64_t usable = BinUsable(entry.bin() - header.tiny());
  const uint64_t requested = usable - header.slop();
  CountForTraceback(header.traceback(), &TracebackRecord::freed, requested,
                    usable);
  Count(false, requested, usable);
  Defer(p);
}

}  // namespace

void* NestedAllocate(size_t alignment, size_t size) {
  if (size > (size_t{1} << 46) || alignment > (size_t{1} << 46)) return nullptr;
  const size_t usable =
      size == 0 ? kPageSize : (size + kPageSize - 1) & ~(kPageSize - 1);
  const size_t slack = alignment > kPageSize ? alignment : 0;
  const size_t bytes = kPageSize + usable + slack;
  void* const mapping =
      sys::Mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (sys::Failed(reinterpret_cast<intptr_t>(mapping))) return nullptr;
  const uintptr_t start = reinterpret_cast<uintptr_t>(mapping);
  const uintptr_t block = slack == 0
                              ? start + kPageSize
                              : (start + kPageSize + slack - 1) & ~(slack - 1);
  // Only [block − page, block + usable) is kept; the header is in its front.
  const uintptr_t kept = block - kPageSize;
  if (kept != start) sys::Munmap(mapping, kept - start);
  const uintptr_t end = block + usable;
  if (end != start + bytes) {
    sys::Munmap(reinterpret_cast<void*>(end), start + bytes - end);
  }
  auto* const header = reinterpret_cast<LargeHeader*>(kept);
  // Before the runtime is up there is no table to count for.
  const TracebackId id =
      TracebackTable::IsUp() ? kInSignalHandler : kBeforeRecording;
  *header = {0, id, Recording::epoch(), size, usable, kPageSize + usable};
  auto* const p = reinterpret_cast<void*>(block);
  if (!PageMap::InstallLarge(p, header, true)) {
    sys::Munmap(header, header->mapped);
    return nullptr;
  }
  CountForTraceback(id, &TracebackRecord::ever, size, usable);
  Count(true, size, usable);
  allocations.fetch_add(1, std::memory_order_relaxed);
  return p;
}

void UnmapNested(void* p, LargeHeader* header) {
  PageMap::RemoveLarge(p);
  sys::Munmap(header, header->mapped);
}

void NestedFree(void* p) {
  const PageEntry entry = PageMap::Covers(p) ? PageMap::Lookup(p) : PageEntry();
  if (entry.empty()) {
    CountForeignFree();
  } else if (entry.bin() == kLargeBin) {
    FreeLarge(p, entry.large());
  } else {
    FreeSmall(p, entry);
  }
}

uint64_t NestedAllocations() {
  return allocations.load(std::memory_order_relaxed);
}

}  // namespace heaptally
