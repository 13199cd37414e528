// Walks the stack of the calling thread, from the caller of malloc outwards.
//
// Three stages, each falling back to the next: the frames that are the same as
// at the last walk (incremental), cached unwind rules, and the frame pointer
// for code without an unwind table. Only reads, and only inside stacks that
// are known or have been probed; never allocates from the measured heap, takes
// no locks. Per-thread: a WalkCache belongs to one thread, and the caller sees
// to it that a signal handler does not enter while a walk is under way.
#ifndef HEAPTALLY_ACCOUNTING_STACK_WALK_H_
#define HEAPTALLY_ACCOUNTING_STACK_WALK_H_

#include <cstddef>
#include <cstdint>

#include "accounting/stack_bounds.h"
#include "accounting/stack_step.h"
#include "accounting/types.h"

namespace heaptally {

// One frame: where it goes on (`pc`, such that pc − 1 lies in the instruction
// that is executing), its stack pointer and frame pointer.
struct WalkFrame : FrameState {
  NodeId node;  // of the calling-context tree; meaningless until filled in
};

inline constexpr uint32_t kDefaultDepthLimit = 512;
inline constexpr uint32_t kMaxDepthLimit = 4096;

struct ScratchWalk {
  uint32_t depth;
  WalkEnd end;
};

// A thread's last stack. Zero-initialised memory is a valid empty cache.
//
// After WalkStack: frames()[0] is the outermost frame and frames()[depth() - 1]
// the caller of malloc. Frames below first_new() had their node ids filled in
// after an earlier walk and still have them; the caller fills in the others
// (frames()[i].node) and says so by MarkNodesKnown().
class WalkCache {
 public:
  WalkFrame* frames() { return frames_; }
  const WalkFrame* frames() const { return frames_; }
  uint32_t depth() const { return depth_; }
  uint32_t first_new() const { return first_new_; }
  WalkEnd end() const { return end_; }

  void MarkNodesKnown() { first_new_ = depth_; }

  // Forgets the node ids (the traceback table was replaced).
  void ForgetNodes() { first_new_ = 0; }

  // Forgets the stack: the next walk unwinds every frame.
  void ForgetStack() { depth_ = first_new_ = reusable_ = 0; }

  // Adds this thread's completed walks to GetWalkCounts(), which otherwise
  // lags by up to kFoldEvery of them. Only from the owning thread.
  static constexpr uint32_t kFoldEvery = 64;
  void FoldCounts();
  uint32_t unfolded_walks() const { return complete_walks_; }

  // Gives the memory back; the cache is empty and usable again.
  void Release();

  // The walk again, from scratch, into memory of the cache.
  const FrameState* WalkAgain(const CallerContext& caller, ScratchWalk& walk);

  // Frames that the last walk had to unwind (not merely compare).
  uint32_t unwound() const { return unwound_; }

 private:
  friend class StackWalker;

  WalkFrame* frames_ = nullptr;    // limit_ of them
  FrameState* scratch_ = nullptr;  // limit_ of them, innermost first
  uint64_t module_state_ = 0;
  StackBounds bounds_;
  uint32_t limit_ = 0;
  uint32_t depth_ = 0;
  uint32_t first_new_ = 0;
  // Frames, from the outermost, that can be recognised by their return-address
  // and rbp slots alone: those outside of any signal or realigned frame.
  uint32_t reusable_ = 0;
  uint32_t unwound_ = 0;
  WalkEnd end_ = WalkEnd{};
  uint32_t complete_walks_ = 0;  // not yet in GetWalkCounts()
};

// Walks from `caller`. kMaxDepthLimit bounds `depth_limit`; the innermost
// frames are kept. If there is no memory for the cache, the walk has no frames
// and ends with kBadFrame.
WalkEnd WalkStack(const CallerContext& caller, WalkCache& cache,
                  uint32_t depth_limit);

// The reference: unwinds every frame by rules compiled afresh, remembers
// nothing. Writes at most `depth_limit` pcs, innermost first.
ScratchWalk WalkFromScratch(const CallerContext& caller, uintptr_t* pcs,
                            uint32_t depth_limit);

// The same into frames of the caller's, of which the first is set.
ScratchWalk WalkFromScratch(FrameState* frames, uint32_t depth_limit,
                            StackBounds& bounds);

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_STACK_WALK_H_
