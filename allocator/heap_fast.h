// The hot path: what malloc and free do when nothing is out of the ordinary.
// About 37 and 50 instructions; no call, no atomic operation.
//
//   malloc ─ TryAllocate ─┬─ a block from the thread's bin, header written,
//                         │  counted
//                         └─ null: Heap::Allocate (heap.cc) owns all else:
//                            first call, nested, gate, recording, empty bin,
//                            large
//   free ─── TryFree ─────┬─ header cleared, counted, block put in its bin
//                         └─ false: Heap::Free owns all else: the same, and
//                            blocks with a traceback, full bin, foreign
#ifndef HEAPTALLY_ALLOCATOR_HEAP_FAST_H_
#define HEAPTALLY_ALLOCATOR_HEAP_FAST_H_

#include "accounting/arch.h"
#include "accounting/recorder.h"
#include "accounting/recording.h"
#include "allocator/heap_thread.h"
#include "allocator/page_map.h"
#include "allocator/side_header.h"
#include "allocator/size_class.h"

namespace heaptally {

__attribute__((always_inline)) inline void* TryAllocate(size_t size) {
  HeapThread* const thread = HeapThread::Current();
  if (thread == nullptr || thread->busy) [[unlikely]] return nullptr;
  thread->busy = 1;
  CompilerBarrier();
  void* block = nullptr;
  if (thread->attention.load(std::memory_order_relaxed) == 0 &&
      size <= kMaxSmall) [[likely]] {
    Bin& bin = thread->bins[BinOf(size)];
    CachedBlock* const top = bin.top;
    if (top != bin.base && thread->room >= bin.usable) [[likely]] {
      bin.top = top - 1;
      *top[-1].header = SideHeader::Make(kBeforeRecording,
                                         bin.slop_base - size,
                                         Recording::epoch())
                            .word();
      AddTo(thread->allocated, size, bin.usable, false);
      thread->room -= bin.usable;
      block = top[-1].block;
    }
  }
  CompilerBarrier();
  thread->busy = 0;
  return block;
}

__attribute__((always_inline)) inline bool TryFree(void* p) {
  HeapThread* const thread = HeapThread::Current();
  if (thread == nullptr || thread->busy) [[unlikely]] return false;
  thread->busy = 1;
  CompilerBarrier();
  bool done = false;
  const PageEntry entry = PageMap::Lookup(p);
  if (!(thread->attention.load(std::memory_order_relaxed) &
        (kStop | kDeferred)) &&
      !entry.empty()) [[likely]] {
    uint64_t* const place = PageMap::HeaderAt(entry, p);
    const SideHeader header(*place);
    Bin& bin = thread->bins[entry.bin() - header.tiny()];
    CachedBlock* const top = bin.top;
    if (header.traceback() == kBeforeRecording && top != bin.end &&
        thread->room >= thread->peak_room &&
        thread->room <= 2 * kFlushBytes - bin.usable) [[likely]] {
      *place = 0;
      *top = {p, place};
      bin.top = top + 1;
      AddTo(thread->freed, bin.usable - header.slop(), bin.usable, false);
      thread->room += bin.usable;
      done = true;
    }
  }
  CompilerBarrier();
  thread->busy = 0;
  return done;
}

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_HEAP_FAST_H_
