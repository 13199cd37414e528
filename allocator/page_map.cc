#include "allocator/page_map.h"

#include "accounting/own_memory.h"
#include "allocator/header_store.h"

namespace heaptally {

std::atomic<std::atomic<uint64_t>*> PageMap::regions_[kRegions];

namespace {

constexpr size_t kRegionBytes = sizeof(PageMap::Region);
constexpr size_t kEntriesPerPage = kPageSize / sizeof(uint64_t);
constexpr size_t kMapPages = kRegionBytes / kPageSize;

// One bit for each page of a region's array that holds an entry: what the
// array occupies, and what a walk has to look at. Lies behind the array.
struct TouchedPages {
  std::atomic<uint64_t> bits[kMapPages / 64];

  // True the first time.
  bool Set(size_t page) {
    const uint64_t bit = uint64_t{1} << (page % 64);
    std::atomic<uint64_t>& word = bits[page / 64];
    if (word.load(std::memory_order_relaxed) & bit) return false;
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  bool Has(size_t page) const {
    return bits[page / 64].load(std::memory_order_relaxed) >> (page % 64) & 1;
  }
};

constexpr size_t kMappedBytes = kRegionBytes + sizeof(TouchedPages);

TouchedPages* TouchedOf(std::atomic<uint64_t>* region) {
  return reinterpret_cast<TouchedPages*>(region + PageMap::kPagesPerRegion);
}

size_t PageInRegion(const void* p) {
  return reinterpret_cast<uintptr_t>(p) / kPageSize % PageMap::kPagesPerRegion;
}

uint32_t FirstBlockOffset(const void* p, uint32_t bin) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(p) % kPageSize %
                               kBlockSizes[bin]);
}

void ReleaseArray(PageEntry entry) {
  if (!entry.empty() && entry.bin() != kLargeBin) {
    HeaderStore::Release(entry.headers());
  }
}

}  // namespace

// The place of the page's entry; null when memory is refused.
std::atomic<uint64_t>* PageMap::EntryFor(const void* p) {
  auto& slot = regions_[reinterpret_cast<uintptr_t>(p) >> kRegionShift];
  std::atomic<uint64_t>* region = slot.load(std::memory_order_acquire);
  if (region == nullptr) {
    auto* fresh =
        static_cast<std::atomic<uint64_t>*>(OwnMemory::Reserve(kMappedBytes));
    if (fresh == nullptr) return nullptr;
    if (slot.compare_exchange_strong(region, fresh,
                                     std::memory_order_acq_rel)) {
      region = fresh;
      OwnMemory::Count(OwnUse::kPageMap, kPageSize);  // its touched bits
    } else {
      OwnMemory::Discard(fresh, kMappedBytes);
    }
  }
  return &region[PageInRegion(p)];
}

void PageMap::NoteTouched(const void* p) {
  std::atomic<uint64_t>* region =
      regions_[reinterpret_cast<uintptr_t>(p) >> kRegionShift].load(
          std::memory_order_relaxed);
  if (TouchedOf(region)->Set(PageInRegion(p) / kEntriesPerPage)) {
    OwnMemory::Count(OwnUse::kPageMap, kPageSize);
  }
}

uint64_t* PageMap::InstallSmall(const void* p, uint32_t bin) {
  if (bin == kTinyBin) bin = kFirstClassBin;
  const uint32_t first = FirstBlockOffset(p, bin);
  PageEntry entry = Lookup(p);
  if (entry.bin() == bin && entry.first() == first) return HeaderAt(entry, p);
  std::atomic<uint64_t>* const place = EntryFor(p);
  uint64_t* const headers = HeaderStore::Take(bin);
  if (place == nullptr || headers == nullptr) {
    if (headers != nullptr) HeaderStore::Release(headers);
    return nullptr;
  }
  const PageEntry fresh = PageEntry::Make(headers, bin, first);
  uint64_t seen = entry.word();
  while (!place->compare_exchange_weak(seen, fresh.word(),
                                       std::memory_order_acq_rel)) {
    entry = PageEntry(seen);
    if (entry.bin() == bin && entry.first() == first) {
      HeaderStore::Release(headers);  // another thread was quicker
      return HeaderAt(entry, p);
    }
  }
  NoteTouched(p);
  ReleaseArray(PageEntry(seen));
  return HeaderAt(fresh, p);
}

bool PageMap::InstallLarge(const void* p, LargeHeader* header, bool nested) {
  std::atomic<uint64_t>* const place = EntryFor(p);
  if (place == nullptr) return false;
  const uint32_t offset =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(p) % kPageSize);
  const PageEntry entry = PageEntry::Make(header, kLargeBin, offset);
  const uint64_t old = place->exchange(entry.word(), std::memory_order_acq_rel);
  NoteTouched(p);
  if (!nested) ReleaseArray(PageEntry(old));
  return true;
}

void PageMap::RemoveSmall(uintptr_t page) {
  EntryFor(reinterpret_cast<const void*>(page))
      ->store(0, std::memory_order_release);
}

void PageMap::RemoveLarge(const void* p) {
  EntryFor(p)->store(0, std::memory_order_release);
}

void PageMap::ForEachPage(void (*visit)(void*, uintptr_t, PageEntry),
                          void* context) {
  for (size_t r = 0; r < kRegions; ++r) {
    std::atomic<uint64_t>* region = regions_[r].load(std::memory_order_acquire);
    if (region == nullptr) continue;
    for (size_t page = 0; page < kMapPages; ++page) {
      if (!TouchedOf(region)->Has(page)) continue;
      for (size_t i = 0; i < kEntriesPerPage; ++i) {
        const size_t index = page * kEntriesPerPage + i;
        const PageEntry entry(region[index].load(std::memory_order_acquire));
        if (entry.empty()) continue;
        visit(context, (r << kRegionShift) + index * kPageSize, entry);
      }
    }
  }
}

}  // namespace heaptally
