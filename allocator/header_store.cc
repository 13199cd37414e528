#include "allocator/header_store.h"

#include <sys/mman.h>

#include <atomic>

#include "accounting/arch.h"
#include "accounting/own_memory.h"
#include "accounting/sys.h"
#include "allocator/size_class.h"

namespace heaptally {
namespace {

constexpr size_t kChunkBytes = 64 << 10;
constexpr size_t kRegionBytes = 4 << 20;  // reserved at a time

// Begins the memory that it describes, which is aligned to kChunkBytes.
struct Chunk {
  Chunk* next;  // among the bin's chunks with room, or the empty ones
  Chunk* previous;
  uint64_t* free;  // arrays that came back, linked by their first word
  uint32_t words;  // of an array
  uint32_t bin;
  uint32_t live;  // arrays in use
  uint32_t cut;   // words used from the front, this header included
};
constexpr size_t kHeadWords = sizeof(Chunk) / sizeof(uint64_t);
constexpr size_t kChunkWords = kChunkBytes / sizeof(uint64_t);

struct Lock {
  Lock() {
    while (held.exchange(true, std::memory_order_acquire)) CpuPause();
  }
  ~Lock() { held.store(false, std::memory_order_release); }
  static std::atomic<bool> held;
};
std::atomic<bool> Lock::held{false};

// All below is guarded by the lock.
Chunk* with_room[kBinCount];
Chunk* empty = nullptr;
uintptr_t region = 0;  // what is left of the last reservation
uintptr_t region_end = 0;

bool HasRoom(const Chunk& chunk) {
  return chunk.free != nullptr || chunk.cut + chunk.words <= kChunkWords;
}

void Link(Chunk* chunk) {
  Chunk*& head = with_room[chunk->bin];
  chunk->previous = nullptr;
  chunk->next = head;
  if (head != nullptr) head->previous = chunk;
  head = chunk;
}

void Unlink(Chunk* chunk) {
  (chunk->previous != nullptr ? chunk->previous->next : with_room[chunk->bin]) =
      chunk->next;
  if (chunk->next != nullptr) chunk->next->previous = chunk->previous;
}

int64_t CutBytes(const Chunk& chunk) {
  return static_cast<int64_t>(chunk.cut * sizeof(uint64_t));
}

Chunk* FromRegion() {
  if (region == region_end) {
    // One chunk more, to align by.
    void* memory = OwnMemory::Reserve(kRegionBytes + kChunkBytes);
    if (memory == nullptr) return nullptr;
    region = (reinterpret_cast<uintptr_t>(memory) + kChunkBytes - 1) &
             ~(kChunkBytes - 1);
    region_end = region + kRegionBytes;
  }
  auto* chunk = reinterpret_cast<Chunk*>(region);
  region += kChunkBytes;
  return chunk;
}

Chunk* NewChunk(uint32_t bin) {
  Chunk* chunk = empty;
  if (chunk != nullptr) {
    empty = chunk->next;
  } else {
    chunk = FromRegion();
    if (chunk == nullptr) return nullptr;
  }
  *chunk = {nullptr, nullptr, nullptr, BlocksPerPage(bin), bin, 0, kHeadWords};
  OwnMemory::Count(OwnUse::kSideHeaders, CutBytes(*chunk));
  Link(chunk);
  return chunk;
}

// Its pages read as zeros again; only the first is touched by the list.
void Empty(Chunk* chunk) {
  Unlink(chunk);
  OwnMemory::Count(OwnUse::kSideHeaders, -CutBytes(*chunk));
  sys::Call(SYS_madvise, sys::Arg(chunk), kChunkBytes, MADV_DONTNEED);
  chunk->next = empty;
  empty = chunk;
}

}  // namespace

uint64_t* HeaderStore::Take(uint32_t bin) {
  Lock lock;
  Chunk* chunk = with_room[bin];
  if (chunk == nullptr) chunk = NewChunk(bin);
  if (chunk == nullptr) return nullptr;
  uint64_t* headers = chunk->free;
  if (headers != nullptr) {
    chunk->free = reinterpret_cast<uint64_t*>(*headers);
    *headers = 0;
  } else {
    headers = reinterpret_cast<uint64_t*>(chunk) + chunk->cut;
    chunk->cut += chunk->words;
    OwnMemory::Count(OwnUse::kSideHeaders,
                     static_cast<int64_t>(chunk->words * sizeof(uint64_t)));
  }
  ++chunk->live;
  if (!HasRoom(*chunk)) Unlink(chunk);
  return headers;
}

void HeaderStore::Release(uint64_t* headers) {
  Lock lock;
  auto* chunk = reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(headers) &
                                         ~(kChunkBytes - 1));
  const bool had_room = HasRoom(*chunk);
  *headers = reinterpret_cast<uintptr_t>(chunk->free);
  chunk->free = headers;
  --chunk->live;
  if (!had_room) Link(chunk);
  // The last chunk of a bin stays, lest a page that comes and goes costs a
  // system call each time.
  const bool only_one =
      with_room[chunk->bin] == chunk && chunk->next == nullptr;
  if (chunk->live == 0 && !only_one) Empty(chunk);
}

void HeaderStore::ResetInForkChild() {
  Lock::held.store(false, std::memory_order_relaxed);
}

}  // namespace heaptally
