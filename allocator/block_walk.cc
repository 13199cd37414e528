#include "allocator/block_walk.h"

#include "accounting/recording.h"
#include "allocator/page_map.h"
#include "allocator/side_header.h"

namespace heaptally {
namespace {

struct Walk {
  BlockVisitor visit;
  void* context;
};

// A block without a traceback that was born while a sample was recorded was
// left out of it.
TracebackId Reported(TracebackId id, uint32_t epoch) {
  const bool sampled_out = id == kBeforeRecording &&
                           Recording::ModeAt(epoch) == RecordingMode::kSampled;
  return sampled_out ? TracebackId{kSampledOut} : id;
}

LiveBlock SmallBlock(uintptr_t address, uint32_t page_bin, SideHeader header) {
  const uint64_t usable = BinUsable(page_bin - header.tiny());
  return {address, usable - header.slop(), usable,
          Reported(header.traceback(), header.epoch()), header.epoch()};
}

LiveBlock LargeBlock(uintptr_t address, const LargeHeader& header) {
  return {address, header.requested, header.usable,
          Reported(header.traceback, header.epoch), header.epoch};
}

void VisitPage(void* context, uintptr_t page, PageEntry entry) {
  const Walk& walk = *static_cast<Walk*>(context);
  const uintptr_t first = page + entry.first();
  if (entry.bin() == kLargeBin) {
    const LargeHeader& header = *entry.large();
    if (header.traceback == kNoBlock) return;
    walk.visit(walk.context, LargeBlock(first, header));
    return;
  }
  const uint32_t size = kBlockSizes[entry.bin()];
  const uint64_t* header = entry.headers();
  for (uintptr_t block = first; block < page + kPageSize; block += size) {
    const SideHeader side(*header++);
    if (side.is_block()) {
      walk.visit(walk.context, SmallBlock(block, entry.bin(), side));
    }
  }
}

}  // namespace

void ForEachBlock(BlockVisitor visit, void* context) {
  Walk walk{visit, context};
  PageMap::ForEachPage(VisitPage, &walk);
}

bool FindBlock(const void* p, LiveBlock* block) {
  if (!PageMap::Covers(p)) return false;
  const uintptr_t address = reinterpret_cast<uintptr_t>(p);
  const PageEntry entry = PageMap::Lookup(p);
  if (entry.empty()) return false;
  if (entry.bin() == kLargeBin) {
    if (address % kPageSize != entry.first()) return false;
    if (entry.large()->traceback == kNoBlock) return false;
    *block = LargeBlock(address, *entry.large());
    return true;
  }
  const uint64_t offset = address % kPageSize;
  if (offset < entry.first() ||
      (offset - entry.first()) % kBlockSizes[entry.bin()] != 0) {
    return false;
  }
  const SideHeader header(*PageMap::HeaderAt(entry, p));
  if (!header.is_block()) return false;
  *block = SmallBlock(address, entry.bin(), header);
  return true;
}

}  // namespace heaptally
