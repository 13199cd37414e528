#include "allocator/heap_thread.h"

#include <pthread.h>

#include <new>

#include "accounting/own_memory.h"
#include "accounting/sys.h"
#include "allocator/jemalloc.h"
#include "allocator/operation.h"
#include "allocator/page_map.h"
#include "allocator/side_header.h"

namespace heaptally {
namespace {

pthread_key_t exit_key;
bool has_exit_key = false;

// In static storage, so that it can count before anything else is set up.
constinit HeapThread spare;

void SetUpBins(HeapThread* thread) {
  CachedBlock* slot = thread->cached;
  for (uint32_t i = kTinyBin; i < kBinEnd; ++i) {
    Bin& bin = thread->bins[i];
    bin.top = bin.base = slot;
    bin.capacity = BinCapacity(i);
    slot += bin.capacity;
    bin.end = slot;
    bin.slop_base = SideHeader::SlopBase(i);
    bin.usable = BinUsable(i);
    bin.block_size = kBlockSizes[i];
    bin.fill = 1;
    bin.reciprocal = BinReciprocal(i);
  }
}

// A retiring thread must leave nothing in its cache, since nobody may come to
// empty it.
void SetCacheRoom(HeapThread* thread, bool any) {
  for (uint32_t i = kTinyBin; i < kBinEnd; ++i) {
    Bin& bin = thread->bins[i];
    bin.end = any ? bin.base + bin.capacity : bin.base;
  }
}

// Runs among the thread's other key destructors, which may still allocate and
// free: the state goes on serving them, without a cache.
void OnThreadExit(void* state) {
  auto* thread = static_cast<HeapThread*>(state);
  if (thread->exiting) return;
  thread->busy = 1;
  CompilerBarrier();
  thread->exiting = 1;
  thread->FlushCache();
  SetCacheRoom(thread, false);
  FlushCounters(thread);
  CompilerBarrier();
  thread->busy = 0;
  ThreadRegistry::Retire(thread);
}

HeapThread* NewState(int tid) {
  void* memory = OwnMemory::Reserve(sizeof(HeapThread));
  if (memory == nullptr) return nullptr;
  OwnMemory::Count(OwnUse::kThreads, sizeof(HeapThread));
  auto* thread = new (memory) HeapThread();
  SetUpBins(thread);
  thread->tid.store(tid, std::memory_order_relaxed);
  return thread;
}

}  // namespace

void InitThreads() {
  jemalloc::SetThreadExitRunner([](jemalloc::ThreadExit end, void* value) {
    Operation operation;
    end(value);
  });
  SetUpBins(&spare);
  ThreadRegistry::AddSpare(&spare);
  has_exit_key = pthread_key_create(&exit_key, OnThreadExit) == 0;
}

HeapThread* HeapThread::Register() {
  const int tid = sys::GetTid();
  auto* thread = static_cast<HeapThread*>(ThreadRegistry::Adopt(tid));
  const bool adopted = thread != nullptr;
  if (adopted) {
    SetCacheRoom(thread, true);
  } else {
    thread = NewState(tid);
    if (thread == nullptr) return nullptr;
  }
  if (!adopted) ThreadRegistry::Add(thread);
  current_thread = thread;
  return thread;
}

HeapThread* HeapThread::Spare() { return &spare; }

void HeapThread::HookExit() {
  has_exit_hook = 1;
  // The main thread ends with the process. The C library may allocate for the
  // key, which is served as from a signal handler.
  if (has_exit_key && tid.load(std::memory_order_relaxed) != sys::GetPid()) {
    pthread_setspecific(exit_key, this);
  }
}

bool FillBin(Bin* bin, uint32_t index) {
  const uint32_t room = static_cast<uint32_t>(bin->end - bin->base);
  // At least the block that is asked for, even in a bin without room.
  uint32_t count = bin->fill < room / 2 ? bin->fill : room / 2;
  if (count == 0) count = 1;
  if (bin->fill < bin->capacity) bin->fill *= 2;
  // Blocks of one fill mostly come from one page: its entry, once seen to be
  // right for the bin, serves the others.
  uintptr_t known_page = 0;
  PageEntry entry;
  for (uint32_t i = 0; i < count; ++i) {
    void* const block = jemalloc::Allocate(bin->block_size);
    if (block == nullptr) break;
    const uintptr_t page = reinterpret_cast<uintptr_t>(block) / kPageSize;
    if (page != known_page) {
      uint64_t* const header = PageMap::InstallSmall(block, index);
      if (header == nullptr) {
        jemalloc::FreeSized(block, bin->block_size);
        break;
      }
      known_page = page;
      entry = PageMap::Lookup(block);
      *bin->top++ = {block, header};
      continue;
    }
    const uint64_t offset = reinterpret_cast<uintptr_t>(block) % kPageSize;
    *bin->top++ = {block, entry.headers() + (offset * bin->reciprocal >> 32)};
  }
  return bin->top != bin->base;
}

void DrainBin(Bin* bin) {
  const auto taken = bin->top - bin->base;
  const auto give = taken - taken / 2;
  for (auto i = decltype(give){0}; i < give; ++i) {
    jemalloc::FreeSized(bin->base[i].block, bin->block_size);
  }
  for (auto i = give; i < taken; ++i) bin->base[i - give] = bin->base[i];
  bin->top -= give;
}

void HeapThread::FlushCache() {
  for (uint32_t i = kTinyBin; i < kBinEnd; ++i) {
    while (bins[i].top != bins[i].base) DrainBin(&bins[i]);
  }
}

uint64_t CountCachedBlocks() {
  uint64_t count = 0;
  for (ThreadState* t = ThreadRegistry::first(); t != nullptr; t = t->next) {
    auto* thread = static_cast<HeapThread*>(t);
    for (uint32_t i = kTinyBin; i < kBinEnd; ++i) {
      count +=
          static_cast<uint64_t>(thread->bins[i].top - thread->bins[i].base);
    }
  }
  return count;
}

}  // namespace heaptally
