#include "accounting/own_memory.h"

#include <sys/mman.h>

#include <atomic>

#include "accounting/sys.h"

namespace heaptally {
namespace {

constexpr size_t kPage = 4096;

std::atomic<int64_t> used[static_cast<size_t>(OwnUse::kCount)];

size_t RoundToPages(size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

void* MapPages(size_t bytes, int extra_flags) {
  void* p = sys::Mmap(bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | extra_flags);
  return sys::Failed(reinterpret_cast<intptr_t>(p)) ? nullptr : p;
}

}  // namespace

void* OwnMemory::Map(size_t bytes, OwnUse use) {
  bytes = RoundToPages(bytes);
  void* p = MapPages(bytes, 0);
  if (p != nullptr) Count(use, static_cast<int64_t>(bytes));
  return p;
}

void* OwnMemory::Reserve(size_t bytes) {
  return MapPages(RoundToPages(bytes), MAP_NORESERVE);
}

void OwnMemory::Discard(void* p, size_t bytes) {
  sys::Munmap(p, RoundToPages(bytes));
}

void OwnMemory::Count(OwnUse use, int64_t bytes) {
  used[static_cast<size_t>(use)].fetch_add(bytes, std::memory_order_relaxed);
}

void OwnMemory::Unmap(void* p, size_t bytes, OwnUse use) {
  bytes = RoundToPages(bytes);
  sys::Munmap(p, bytes);
  Count(use, -static_cast<int64_t>(bytes));
}

uint64_t OwnMemory::Used(OwnUse use) {
  const int64_t n =
      used[static_cast<size_t>(use)].load(std::memory_order_relaxed);
  return n > 0 ? static_cast<uint64_t>(n) : 0;
}

uint64_t OwnMemory::TotalUsed() {
  uint64_t total = 0;
  for (size_t i = 0; i < static_cast<size_t>(OwnUse::kCount); ++i) {
    total += Used(static_cast<OwnUse>(i));
  }
  return total;
}

}  // namespace heaptally
