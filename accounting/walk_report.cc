#include "accounting/walk_report.h"

#include <atomic>

namespace heaptally {
namespace {

std::atomic<uint64_t> ends[kWalkEndEnd];
std::atomic<uint64_t> verified{0};
std::atomic<uint64_t> different{0};
std::atomic<bool> example_claimed{false};
std::atomic<bool> example_ready{false};
WalkDifference example;

bool SameWalk(const WalkCache& cache, const ScratchWalk& walk,
              const FrameState* frames) {
  if (cache.depth() != walk.depth || cache.end() != walk.end) return false;
  for (uint32_t i = 0; i < walk.depth; ++i) {
    if (cache.frames()[walk.depth - 1 - i].pc != frames[i].pc) return false;
  }
  return true;
}

void KeepExample(const WalkCache& cache, const ScratchWalk& walk,
                 const FrameState* frames) {
  if (example_claimed.exchange(true)) return;
  example.cached_depth = cache.depth();
  example.scratch_depth = walk.depth;
  example.cached_end = cache.end();
  example.scratch_end = walk.end;
  for (uint32_t i = 0; i < WalkDifference::kMaxFrames; ++i) {
    if (i < cache.depth()) {
      example.cached[i] = cache.frames()[cache.depth() - 1 - i].pc;
    }
    if (i < walk.depth) example.scratch[i] = frames[i].pc;
  }
  example_ready.store(true, std::memory_order_release);
}

}  // namespace

WalkCounts GetWalkCounts() {
  WalkCounts counts = {};
  for (uint32_t i = 0; i < kWalkEndEnd; ++i) {
    counts.ends[i] = ends[i].load(std::memory_order_relaxed);
  }
  counts.verified = verified.load(std::memory_order_relaxed);
  counts.different = different.load(std::memory_order_relaxed);
  return counts;
}

void CountWalks(WalkEnd end, uint64_t walks) {
  ends[static_cast<uint32_t>(end)].fetch_add(walks, std::memory_order_relaxed);
}

const WalkDifference* FirstWalkDifference() {
  return example_ready.load(std::memory_order_acquire) ? &example : nullptr;
}

void CompareWithScratch(const CallerContext& caller, WalkCache& cache) {
  ScratchWalk walk;
  const FrameState* frames = cache.WalkAgain(caller, walk);
  verified.fetch_add(1, std::memory_order_relaxed);
  if (SameWalk(cache, walk, frames)) return;
  different.fetch_add(1, std::memory_order_relaxed);
  KeepExample(cache, walk, frames);
}

}  // namespace heaptally
