#include "allocator/heap.h"

#include <cerrno>
#include <cstring>

#include "accounting/recorder.h"
#include "accounting/recording.h"
#include "allocator/foreign.h"
#include "allocator/header_sweep.h"
#include "allocator/heap_fast.h"
#include "allocator/heap_thread.h"
#include "allocator/jemalloc.h"
#include "allocator/large_header.h"
#include "allocator/nested.h"
#include "allocator/operation.h"
#include "allocator/page_map.h"
#include "allocator/side_header.h"
#include "allocator/size_class.h"

namespace heaptally {
namespace {

// A block fresh from jemalloc that is not in the books yet.
struct NewBlock {
  void* block;
  size_t usable;
};

uint64_t HeaderWord(TracebackId id, uint32_t bin, size_t size) {
  return SideHeader::Make(id, SideHeader::SlopBase(bin) - size,
                          Recording::epoch())
      .word();
}

TracebackId Choose(HeapThread* thread, size_t size,
                   const CallerContext& caller) {
  if (!thread->Demands(kRecord)) {
    return kBeforeRecording;
  }
  return ChooseTraceback(thread, size, caller);
}

void* AllocateSmall(HeapThread* thread, size_t size, TracebackId id) {
  const uint32_t index = BinOf(size);
  Bin& bin = thread->bins[index];
  if (bin.top == bin.base && !FillBin(&bin, index)) [[unlikely]] {
    return nullptr;
  }
  const CachedBlock cached = *--bin.top;
  *cached.header = HeaderWord(id, index, size);
  CountAllocation(thread, id, size, bin.usable);
  return cached.block;
}

// Puts a block fresh from jemalloc, of any size, into the books; gives it back
// when there is no memory for that.
void* Enter(HeapThread* thread, NewBlock fresh, size_t size, TracebackId id) {
  if (fresh.block == nullptr) return nullptr;
  if (fresh.usable <= kMaxSmall) {
    const uint32_t bin = BinOfUsable(fresh.usable);
    uint64_t* const header = PageMap::InstallSmall(fresh.block, bin);
    if (header != nullptr) {
      *header = HeaderWord(id, bin, size);
      CountAllocation(thread, id, size, fresh.usable);
      return fresh.block;
    }
  } else {
    LargeHeader* const header = LargeHeaders::Take();
    if (header != nullptr) {
      *header = {0, id, Recording::epoch(), size, fresh.usable, 0};
      if (PageMap::InstallLarge(fresh.block, header)) {
        CountAllocation(thread, id, size, fresh.usable);
        return fresh.block;
      }
      LargeHeaders::Release(header);
    }
  }
  jemalloc::Free(fresh.block);
  return nullptr;
}

NewBlock TakeLarge(size_t size, bool zeroed) {
  const size_t usable = LargeUsable(size);
  if (usable == 0) return {nullptr, 0};
  return {zeroed ? jemalloc::AllocateZeroed(size) : jemalloc::Allocate(size),
          usable};
}

NewBlock TakeAligned(size_t alignment, size_t size) {
  void* const block =
      jemalloc::AllocateAligned(alignment, size == 0 ? 1 : size);
  return {block, block == nullptr ? 0 : jemalloc::UsableSize(block)};
}

void FreeLarge(HeapThread* thread, void* p, LargeHeader* header) {
  CountFree(thread, header->traceback, header->requested, header->usable);
  if (header->mapped != 0) {
    UnmapNested(p, header);
    return;
  }
  PageMap::RemoveLarge(p);
  LargeHeaders::Release(header);
  jemalloc::Free(p);
}

// Out of the books and into the bin, where it stands until it is needed.
void FreeSmall(HeapThread* thread, void* p, PageEntry entry) {
  uint64_t* const place = PageMap::HeaderAt(entry, p);
  const SideHeader header(*place);
  if (!header.is_block()) [[unlikely]] {
    CountForeignFree();  // freed twice, or not the beginning of a block
    return;
  }
  Bin& bin = thread->bins[entry.bin() - header.tiny()];
  CountFree(thread, header.traceback(), bin.usable - header.slop(), bin.usable);
  *place = 0;
  if (bin.end == bin.base) [[unlikely]] {  // the thread is ending
    jemalloc::FreeSized(p, bin.block_size);
    return;
  }
  const bool full = bin.top == bin.end;
  if (full) DrainBin(&bin);
  *bin.top++ = {p, place};
  if (full) SweepHeadersIfDue(KnownUsableBytes());
}

void FreeIn(HeapThread* thread, void* p) {
  const PageEntry entry = PageMap::Covers(p) ? PageMap::Lookup(p) : PageEntry();
  if (entry.empty()) {
    CountForeignFree();
  } else if (entry.bin() == kLargeBin) {
    FreeLarge(thread, p, entry.large());
  } else {
    FreeSmall(thread, p, entry);
  }
}

void* AllocateIn(HeapThread* thread, size_t size, TracebackId id) {
  if (size <= kMaxSmall) [[likely]]
    return AllocateSmall(thread, size, id);
  return Enter(thread, TakeLarge(size, false), size, id);
}

// The block at `p` takes the new size without moving, if it can: within its
// size class, or by jemalloc's extending or cutting a large block.
bool ResizeSmall(HeapThread* thread, void* p, PageEntry entry, size_t size,
                 TracebackId id) {
  uint64_t* const place = PageMap::HeaderAt(entry, p);
  const SideHeader header(*place);
  const uint32_t bin = entry.bin() - header.tiny();
  if (size > kMaxSmall || BinOf(size) != bin) return false;
  const uint64_t usable = BinUsable(bin);
  CountFree(thread, header.traceback(), usable - header.slop(), usable);
  *place = HeaderWord(id, bin, size);
  CountAllocation(thread, id, size, usable);
  return true;
}

bool ResizeLarge(HeapThread* thread, void* p, LargeHeader* header, size_t size,
                 TracebackId id) {
  const size_t usable = size > kMaxSmall ? LargeUsable(size) : 0;
  if (usable == 0 || header->mapped != 0) return false;
  if (usable != header->usable) {
    // jemalloc may stop on the way: the books follow it there in any case.
    const size_t became = jemalloc::ResizeInPlace(p, size);
    if (became != usable) {
      if (became != header->usable) {
        CountFree(thread, header->traceback, header->requested, header->usable);
        if (header->requested > became) header->requested = became;
        header->usable = became;
        CountAllocation(thread, header->traceback, header->requested, became);
      }
      return false;
    }
  }
  CountFree(thread, header->traceback, header->requested, header->usable);
  header->traceback = id;
  header->epoch = Recording::epoch();
  header->requested = size;
  header->usable = usable;
  CountAllocation(thread, id, size, usable);
  return true;
}

bool IsBlock(const void* p, PageEntry entry) {
  if (entry.empty()) return false;
  if (entry.bin() == kLargeBin) return entry.large()->traceback != kNoBlock;
  return *PageMap::HeaderAt(entry, p) != 0;
}

void* MoveForeign(HeapThread* thread, void* p, size_t size, TracebackId id) {
  CountForeignReallocation();
  void* const moved = AllocateIn(thread, size, id);
  if (moved != nullptr) CopyForeign(moved, p, size);
  return moved;
}

void* NestedReallocate(void* p, size_t size) {
  const size_t usable = Heap::UsableSize(p);
  void* const moved = NestedAllocate(16, size);
  if (moved == nullptr) return nullptr;
  if (usable == 0) {
    CountForeignReallocation();
    CopyForeign(moved, p, size);
    return moved;
  }
  memcpy(moved, p, usable < size ? usable : size);
  NestedFree(p);
  return moved;
}

}  // namespace

void* FlushAfterAllocate(HeapThread* thread, void* block) {
  FlushCounters(thread);
  CompilerBarrier();
  thread->busy = 0;
  return block;
}

void* TryAllocateRecording(size_t size, const CallerContext& caller) {
  HeapThread* const thread = HeapThread::Current();
  if (thread == nullptr || thread->busy || size > kMaxSmall) [[unlikely]] {
    return nullptr;
  }
  thread->busy = 1;
  CompilerBarrier();
  void* block = nullptr;
  Bin& bin = thread->bins[BinOf(size)];
  if (thread->attention == kRecord && bin.top != bin.base) [[likely]] {
    const int saved_errno = errno;
    const TracebackId id = ChooseTraceback(thread, size, caller);
    errno = saved_errno;
    const CachedBlock cached = *--bin.top;
    *cached.header =
        thread->plain_header - kBeforeRecording + id +
        (uint64_t{bin.slop_base - size} << SideHeader::kTracebackBits);
    CountAllocation(thread, id, size, bin.usable);
    block = cached.block;
  }
  CompilerBarrier();
  thread->busy = 0;
  return block;
}

void FreeRecorded(HeapThread* thread, Bin* bin, CachedBlock block,
                  SideHeader header) {
  CountFree(thread, header.traceback(), bin->usable - header.slop(),
            bin->usable);
  *block.header = 0;
  *bin->top++ = block;
  CompilerBarrier();
  thread->busy = 0;
}

void FlushAfterFree(HeapThread* thread) {
  FlushCounters(thread);
  CompilerBarrier();
  thread->busy = 0;
}

void* Heap::Allocate(size_t size, const CallerContext& caller) {
  if (size > kMaxRequest) return nullptr;
  Operation operation;
  HeapThread* const thread = operation.thread();
  if (thread == nullptr) return NestedAllocate(16, size);
  return AllocateIn(thread, size, Choose(thread, size, caller));
}

void* Heap::AllocateZeroed(size_t size, const CallerContext& caller) {
  if (size > kMaxRequest) return nullptr;
  Operation operation;
  HeapThread* const thread = operation.thread();
  if (thread == nullptr) return NestedAllocate(16, size);  // is zeroed
  const TracebackId id = Choose(thread, size, caller);
  if (size > kMaxSmall) {
    return Enter(thread, TakeLarge(size, true), size, id);
  }
  void* const block = AllocateSmall(thread, size, id);
  if (block != nullptr) memset(block, 0, size);
  return block;
}

void* Heap::AllocateAligned(size_t alignment, size_t size,
                            const CallerContext& caller) {
  // The smallest class is aligned to 8 only where jemalloc would use it.
  if (alignment <= 8 || (alignment <= 16 && size > 8)) {
    return Allocate(size, caller);
  }
  if (size > kMaxRequest || alignment > kMaxRequest) return nullptr;
  Operation operation;
  HeapThread* const thread = operation.thread();
  if (thread == nullptr) return NestedAllocate(alignment, size);
  const TracebackId id = Choose(thread, size, caller);
  return Enter(thread, TakeAligned(alignment, size), size, id);
}

void Heap::Free(void* p) {
  Operation operation;
  HeapThread* const thread = operation.thread();
  if (thread == nullptr) {
    NestedFree(p);
  } else {
    FreeIn(thread, p);
  }
}

void* Heap::Reallocate(void* p, size_t size, const CallerContext& caller) {
  if (size > kMaxRequest) return nullptr;
  Operation operation;
  HeapThread* const thread = operation.thread();
  if (thread == nullptr) return NestedReallocate(p, size);
  const TracebackId id = Choose(thread, size, caller);
  const PageEntry entry = PageMap::Covers(p) ? PageMap::Lookup(p) : PageEntry();
  if (!IsBlock(p, entry)) [[unlikely]] {
    return MoveForeign(thread, p, size, id);
  }
  const bool large = entry.bin() == kLargeBin;
  if (large ? ResizeLarge(thread, p, entry.large(), size, id)
            : ResizeSmall(thread, p, entry, size, id)) {
    return p;
  }
  void* const moved = AllocateIn(thread, size, id);
  if (moved == nullptr) return nullptr;
  const size_t usable = UsableSize(p);
  memcpy(moved, p, usable < size ? usable : size);
  FreeIn(thread, p);
  return moved;
}

size_t Heap::UsableSize(const void* p) {
  if (!PageMap::Covers(p)) return 0;
  const PageEntry entry = PageMap::Lookup(p);
  if (!IsBlock(p, entry)) return 0;
  if (entry.bin() == kLargeBin) return entry.large()->usable;
  const SideHeader header(*PageMap::HeaderAt(entry, p));
  return BinUsable(entry.bin() - header.tiny());
}

}  // namespace heaptally
