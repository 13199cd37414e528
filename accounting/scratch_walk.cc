// WalkFromScratch: the plain way to walk a stack, that the fast one is
// measured against. Compiles every rule afresh; shares with the fast walk only
// the compiler of rules and the rare step. Maps memory for its frames. Safety
// as WalkStack; needs no WalkCache.
#include "accounting/own_memory.h"
#include "accounting/stack_walk.h"

namespace heaptally {
namespace {

WalkEnd EndFor(StepResult result) {
  switch (result) {
    case StepResult::kEnd:
      return WalkEnd::kComplete;
    case StepResult::kNoRule:
      return WalkEnd::kNoRule;
    case StepResult::kForeignStack:
      return WalkEnd::kForeignStack;
    default:
      return WalkEnd::kBadFrame;
  }
}

}  // namespace

ScratchWalk WalkFromScratch(FrameState* frames, uint32_t limit,
                            StackBounds& bounds) {
  StackRange range = bounds.RangeFor(frames[0].sp);
  if (!range.Holds(frames[0].sp)) return {0, WalkEnd::kForeignStack};
  for (uint32_t count = 1;; ++count) {
    const FrameState& in = frames[count - 1];
    const UnwindRule rule = UnwindRules::Compile(in.pc - 1);
    if (rule.kind == UnwindRule::kEnd) return {count, WalkEnd::kComplete};
    if (count == limit) return {count, WalkEnd::kDepthLimit};
    const WalkedFrames walked = {
        frames, count - 1, [](const void* list, uint32_t i) {
          return static_cast<const FrameState*>(list)[i];
        }};
    const StepResult result =
        StepFully(rule, in, walked, bounds, range, frames[count]);
    if (result > StepResult::kSpecial) return {count, EndFor(result)};
  }
}

ScratchWalk WalkFromScratch(const CallerContext& caller, uintptr_t* pcs,
                            uint32_t depth_limit) {
  if (depth_limit == 0) depth_limit = 1;
  const size_t bytes = depth_limit * sizeof(FrameState);
  auto* frames =
      static_cast<FrameState*>(OwnMemory::Map(bytes, OwnUse::kOther));
  if (frames == nullptr) return {0, WalkEnd::kBadFrame};
  frames[0] = {caller.pc, caller.sp, caller.fp, nullptr};
  StackBounds bounds;
  bounds.EnterThread();
  const ScratchWalk walk = WalkFromScratch(frames, depth_limit, bounds);
  for (uint32_t i = 0; i < walk.depth; ++i) pcs[i] = frames[i].pc;
  OwnMemory::Unmap(frames, bytes, OwnUse::kOther);
  return walk;
}

const FrameState* WalkCache::WalkAgain(const CallerContext& caller,
                                       ScratchWalk& walk) {
  scratch_[0] = {caller.pc, caller.sp, caller.fp, nullptr};
  walk = WalkFromScratch(scratch_, limit_, bounds_);
  return scratch_;
}

}  // namespace heaptally
