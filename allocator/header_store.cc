#include "allocator/header_store.h"

#include "accounting/own_memory.h"

namespace heaptally {
namespace {

FreeStack free_arrays[kBinCount];

// A mapping from whose front new arrays are cut.
struct Chunk {
  std::atomic<size_t> used;  // words, this one included
};
constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr size_t kChunkWords = kChunkBytes / sizeof(uint64_t);
std::atomic<Chunk*> current{nullptr};

uint64_t* Cut(Chunk* chunk, size_t words) {
  if (chunk == nullptr) return nullptr;
  const size_t at = chunk->used.fetch_add(words, std::memory_order_relaxed);
  if (at + words > kChunkWords) return nullptr;
  return reinterpret_cast<uint64_t*>(chunk) + at;
}

uint64_t* CutNew(size_t words) {
  for (;;) {
    Chunk* chunk = current.load(std::memory_order_acquire);
    if (uint64_t* const headers = Cut(chunk, words)) return headers;
    auto* fresh = static_cast<Chunk*>(OwnMemory::Reserve(kChunkBytes));
    if (fresh == nullptr) return nullptr;
    fresh->used.store(1, std::memory_order_relaxed);
    if (!current.compare_exchange_strong(chunk, fresh,
                                         std::memory_order_acq_rel)) {
      OwnMemory::Discard(fresh, kChunkBytes);
    }
  }
}

}  // namespace

uint64_t* HeaderStore::Take(uint32_t bin) {
  uint64_t* headers = free_arrays[bin].Pop();
  if (headers != nullptr) return headers;
  const size_t words = BlocksPerPage(bin);
  headers = CutNew(words);
  if (headers != nullptr) {
    OwnMemory::Count(OwnUse::kSideHeaders,
                     static_cast<int64_t>(words * sizeof(uint64_t)));
  }
  return headers;
}

void HeaderStore::Release(uint64_t* headers, uint32_t bin) {
  free_arrays[bin].Push(headers);
}

}  // namespace heaptally
