// The hot path: what malloc and free do when nothing is out of the ordinary.
// About 37 and 50 instructions; no call, no atomic operation.
//
//   malloc ─ TryAllocate ─┬─ a block from the thread's bin, header written,
//                         │  counted
//                         └─ null: AllocateSlowly: while stacks are recorded
//                            TryAllocateRecording, and Heap::Allocate (heap.cc)
//                            for all else: first call, nested, gate, empty bin,
//                            large
//   free ─── TryFree ─────┬─ header cleared, counted, block put in its bin
//                         ├─ FreeRecorded: the same for a block with a
//                         │  traceback, or at a new peak
//                         └─ false: Heap::Free owns all else: first call,
//                            nested, gate, full bin, large, foreign
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

// As TryAllocate, but for threads that record stacks.
void* TryAllocateRecording(size_t size, const CallerContext& caller);

// Ends an operation that TryFree has begun: the block goes into its bin, which
// has room.
void FreeRecorded(HeapThread* thread, Bin* bin, CachedBlock block,
                  SideHeader header);

// The thread has changed much since it told the others: it does so now.
__attribute__((returns_nonnull)) void* FlushAfterAllocate(HeapThread* thread,
                                                          void* block);
void FlushAfterFree(HeapThread* thread);

__attribute__((always_inline)) inline void* TryAllocate(size_t size) {
  HeapThread* const thread = HeapThread::Current();
  if (thread == nullptr || thread->busy) [[unlikely]]
    return nullptr;
  thread->busy = 1;
  CompilerBarrier();
  if (thread->attention != 0 || size > kMaxSmall) [[unlikely]] {
    thread->busy = 0;
    return nullptr;
  }
  Bin& bin = thread->bins[BinOf(size)];
  CachedBlock* const top = bin.top;
  if (top == bin.base) [[unlikely]] {
    thread->busy = 0;
    return nullptr;
  }
  bin.top = top - 1;
  const uint64_t usable = bin.usable;
  *top[-1].header = thread->plain_header +
                    (uint64_t{bin.slop_base - static_cast<uint32_t>(size)}
                     << SideHeader::kTracebackBits);
  AddTo(thread->allocated, size, usable, false);
  void* const block = top[-1].block;
  if (block == nullptr) __builtin_unreachable();
  if (SubtractOwnIsNegative(thread->room, static_cast<int64_t>(usable)))
      [[unlikely]] {
    return FlushAfterAllocate(thread, block);
  }
  CompilerBarrier();
  thread->busy = 0;
  return block;
}

__attribute__((always_inline)) inline bool TryFree(void* p) {
  HeapThread* const thread = HeapThread::Current();
  if (thread == nullptr || thread->busy) [[unlikely]]
    return false;
  const PageEntry entry = PageMap::Lookup(p);
  if (entry.empty()) [[unlikely]]
    return false;
  thread->busy = 1;
  CompilerBarrier();
  // The compiler would compute the bin twice, before and after the correction.
  char* bin_address = reinterpret_cast<char*>(&thread->bins[entry.bin()]);
  asm("" : "+r"(bin_address));
  const uint64_t offset = reinterpret_cast<uintptr_t>(p) % kPageSize;
  uint64_t* const place =
      entry.headers() +
      (offset * reinterpret_cast<Bin*>(bin_address)->reciprocal >> 32);
  const SideHeader header(*place);
  // One bin down for a tiny block.
  Bin* const bin = reinterpret_cast<Bin*>(
      bin_address -
      (header.word() >> (SideHeader::kTinyBit - 6) & sizeof(Bin)));
  CachedBlock* const top = bin->top;
  if ((thread->attention & (kStop | kDeferred)) || top == bin->end)
      [[unlikely]] {
    thread->busy = 0;
    return false;
  }
  if (!header.is_unrecorded() || thread->room < thread->peak_room) {
    if (!header.is_block()) [[unlikely]] {
      thread->busy = 0;
      return false;
    }
    FreeRecorded(thread, bin, {p, place}, header);
    return true;
  }
  *place = 0;
  top->block = p;
  top->header = place;
  bin->top = top + 1;
  const uint64_t usable = bin->usable;
  AddOwn(thread->freed_blocks, 1);
  AddOwn(thread->freed_requested, usable - header.slop());
  MoveRoom(thread, static_cast<int64_t>(usable));
  if (thread->room > 2 * kFlushBytes) [[unlikely]] {
    FlushAfterFree(thread);
    return true;
  }
  CompilerBarrier();
  thread->busy = 0;
  return true;
}

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_HEAP_FAST_H_
