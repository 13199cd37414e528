#include "accounting/stack_walk.h"

#include "accounting/modules.h"
#include "accounting/own_memory.h"
#include "accounting/unwind_rules.h"
#include "accounting/walk_report.h"

namespace heaptally {

namespace {

// A sentinel and the frames of the last stack, then those of a walk.
size_t BytesFor(uint32_t limit) {
  return (limit + 1) * sizeof(WalkFrame) + limit * sizeof(FrameState);
}

}  // namespace

// A walk in progress. The stages:
//   Run ── Unwind ── StepPlain           cached rule, the common case
//    │        │  └─ StepFully            everything rare
//    │        └─ Meet                    a frame of the last stack: compare the
//    │                                   slots of those outside of it
//    └─ Adopt                            put new frames onto the kept ones
class StackWalker {
 public:
  StackWalker(WalkCache& cache, bool remember)
      : c_(cache), remember_(remember) {}

  // The stack is the last one, as in a loop that allocates: nothing to unwind.
  // Same checks as where a walk meets its first frame (see Meet), for stacks
  // that end by the rule of their outermost frame.
  bool IsLastStack(const CallerContext& caller) {
    if (c_.depth_ == 0 || c_.reusable_ != c_.depth_ ||
        c_.first_new_ != c_.depth_ || c_.end_ != WalkEnd::kComplete ||
        !remember_) {
      return false;
    }
    const WalkFrame* frames = c_.frames_;
    const WalkFrame* innermost = frames + c_.depth_ - 1;
    range_ = c_.bounds_.RangeFor(caller.sp);
    if (innermost->sp != caller.sp || innermost->pc != caller.pc ||
        innermost->fp != caller.fp || !range_.Holds(caller.sp) ||
        frames[0].sp > range_.high) {
      return false;
    }
    for (const WalkFrame* outer = innermost - 1; outer >= frames; --outer) {
      if (ReadWord(outer->sp - 8) != outer->pc ||
          ReadWord(outer->fp_slot) != outer->fp) {
        return false;
      }
    }
    c_.unwound_ = 1;
    return RuleFor(frames[0].pc - 1).kind() == UnwindRule::kEnd;
  }

  WalkEnd Run(const CallerContext& caller) {
    range_ = c_.bounds_.RangeFor(caller.sp);
    if (!range_.Holds(caller.sp)) [[unlikely]] {
      return Fail(WalkEnd::kForeignStack);
    }
    const bool had_frames = c_.depth_ != 0;
    Unwind(caller, c_.reusable_);
    if (!Adopt() && had_frames) {
      range_ = c_.bounds_.RangeFor(caller.sp);
      Unwind(caller, 0);
      Adopt();
    }
    return c_.end_;
  }

  static WalkEnd Walk(const CallerContext& caller, WalkCache& cache,
                      uint32_t limit);

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  WalkEnd Fail(WalkEnd end) {
    c_.depth_ = c_.first_new_ = c_.reusable_ = c_.unwound_ = 0;
    return c_.end_ = end;
  }

  // Unwinds into the scratch frames until the walk ends or meets one of the
  // `candidates` outermost frames of the last stack.
  void Unwind(const CallerContext& caller, uint32_t candidates) {
    uintptr_t pc = caller.pc;
    uintptr_t sp = caller.sp;
    uintptr_t fp = caller.fp;
    const uintptr_t* fp_slot = nullptr;
    FrameState* frame = c_.scratch_;
    FrameState* const last = frame + c_.limit_ - 1;
    // A sentinel with the highest stack pointer lies before the first frame.
    const WalkFrame* old = c_.frames_ + candidates - 1;
    special_ = 0;
    met_ = kNone;
    for (;; ++frame) {
      // In general registers, please: through vector ones it takes 2 ns more.
      asm("" : "+r"(pc), "+r"(sp), "+r"(fp));
      *frame = {pc, sp, fp, fp_slot};
      while (old->sp < sp) --old;
      if (old->sp == sp && old->pc == pc && old->fp == fp && Meet(old)) break;
      if (frame == last) [[unlikely]] {
        end_ = EndAtLimit(*frame);
        break;
      }
      const PackedRule rule = RuleFor(pc - 1);
      if (StepPlain(rule, range_, pc, sp, fp, fp_slot)) [[likely]]
        continue;
      if (!StepRare(rule, frame)) break;
      pc = frame[1].pc;
      sp = frame[1].sp;
      fp = frame[1].fp;
      fp_slot = frame[1].fp_slot;
    }
    count_ = static_cast<uint32_t>(frame - c_.scratch_) + 1;
  }

  PackedRule RuleFor(uintptr_t address) const {
    return remember_ ? UnwindRules::Find(address)
                     : PackedRule(PackedRule::kRecompile);
  }

  // The frame last unwound is `old` of the last stack. True if all that is
  // outside of it is as it was; otherwise moves `old` out to where it is not.
  bool Meet(const WalkFrame*& old) {
    const WalkFrame* frames = c_.frames_;
    if (frames[0].sp > range_.high) [[unlikely]] {
      range_ = c_.bounds_.Extend(old->sp, frames[0].sp - 8);
      if (frames[0].sp > range_.high) {
        old = frames - 1;
        return false;
      }
    }
    for (const WalkFrame* outer = old - 1; outer >= frames; --outer) {
      if (ReadWord(outer->sp - 8) != outer->pc ||
          ReadWord(outer->fp_slot) != outer->fp) [[unlikely]] {
        old = outer;
        return false;
      }
    }
    met_ = static_cast<uint32_t>(old - frames);
    return true;
  }

  // Unwinds *frame into frame[1]. False if the walk ends here.
  __attribute__((noinline)) bool StepRare(PackedRule packed,
                                          FrameState* frame) {
    const uint32_t index = static_cast<uint32_t>(frame - c_.scratch_);
    const UnwindRule rule = UnwindRules::Full(packed, frame->pc - 1);
    const WalkedFrames walked = {
        c_.scratch_, index, [](const void* frames, uint32_t i) {
          return static_cast<const FrameState*>(frames)[i];
        }};
    const StepResult result =
        StepFully(rule, *frame, walked, c_.bounds_, range_, frame[1]);
    if (result == StepResult::kSpecial) special_ = index + 1;
    if (result > StepResult::kSpecial) end_ = EndFor(result);
    return result <= StepResult::kSpecial;
  }

  WalkEnd EndAtLimit(const FrameState& frame) const {
    const uintptr_t address = frame.pc - 1;
    const UnwindRule rule = UnwindRules::Full(RuleFor(address), address);
    return rule.kind == UnwindRule::kEnd ? WalkEnd::kComplete
                                         : WalkEnd::kDepthLimit;
  }

  static WalkEnd EndFor(StepResult result) {
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

  // Whether the kept frames still end the way they did, as `depth` frames.
  bool SameEnd(uint32_t depth) {
    const WalkFrame& outermost = c_.frames_[0];
    if (c_.end_ == WalkEnd::kDepthLimit) {
      end_ = c_.end_;
      return depth >= c_.limit_;
    }
    if (depth >= c_.limit_) {
      end_ = EndAtLimit(outermost);
      return true;
    }
    const uintptr_t address = outermost.pc - 1;
    const PackedRule packed = RuleFor(address);
    if (packed.kind() == UnwindRule::kEnd) [[likely]] {
      end_ = WalkEnd::kComplete;
      return true;
    }
    const UnwindRule rule = UnwindRules::Full(packed, address);
    // This one depends on where the inner frames keep a register.
    if (rule.kind == UnwindRule::kCfaRegister) return false;
    FrameState next;
    StackRange range = range_;
    const StepResult result =
        StepFully(rule, outermost, {}, c_.bounds_, range, next);
    end_ = EndFor(result);
    return result > StepResult::kSpecial;
  }

  // Makes the walk the last stack. False if the kept frames turned out not to
  // be the whole rest: then it has to be done without them.
  bool Adopt() {
    uint32_t kept = 0;
    uint32_t fresh = count_;
    if (met_ != kNone) {
      kept = met_ + 1;
      --fresh;
      if (!SameEnd(kept + fresh)) return false;
    }
    if (kept + fresh > c_.limit_) [[unlikely]] {
      kept = DropOutermost(kept, kept + fresh - c_.limit_);
      end_ = WalkEnd::kDepthLimit;
    }
    uint32_t known = end_ == c_.end_ ? c_.first_new_ : 0;
    const uint32_t depth = kept + fresh;
    for (uint32_t i = kept; i < depth; ++i) {
      const FrameState& from = c_.scratch_[depth - 1 - i];
      WalkFrame& to = c_.frames_[i];
      if (known > i && to.pc != from.pc) known = i;
      static_cast<FrameState&>(to) = from;
      if (from.fp_slot == nullptr) to.fp_slot = &to.fp;
    }
    c_.first_new_ = known < depth ? known : depth;
    c_.depth_ = depth;
    c_.reusable_ = depth - special_;
    c_.unwound_ = count_;
    c_.end_ = end_;
    return true;
  }

  // Moves the kept frames so that `drop` fewer of them remain.
  uint32_t DropOutermost(uint32_t kept, uint32_t drop) {
    c_.first_new_ = 0;
    if (drop >= kept) return 0;
    for (uint32_t i = 0; i + drop < kept; ++i) {
      WalkFrame& to = c_.frames_[i];
      const WalkFrame& from = c_.frames_[i + drop];
      const bool none = from.fp_slot == &from.fp;
      to = from;
      if (none) to.fp_slot = &to.fp;
    }
    return kept - drop;
  }

  // Makes the cache fit this walk; false if there is no memory for it.
  static bool Prepare(WalkCache& cache, uint64_t state, uint32_t limit);

  WalkCache& c_;
  const bool remember_;
  StackRange range_;
  uint32_t count_ = 0;
  uint32_t special_ = 0;  // index of the last frame found by a special step
  uint32_t met_ = kNone;
  WalkEnd end_ = WalkEnd{};
};

inline WalkEnd StackWalker::Walk(const CallerContext& caller, WalkCache& cache,
                                 uint32_t limit) {
  const uint64_t state = Modules::State();
  if (limit - 1 >= kMaxDepthLimit) limit = limit == 0 ? 1 : kMaxDepthLimit;
  if (cache.bounds_.EnterThread() || state != cache.module_state_ ||
      limit != cache.limit_) [[unlikely]] {
    if (!Prepare(cache, state, limit)) {
      CountWalks(WalkEnd::kBadFrame, 1);
      return cache.end_ = WalkEnd::kBadFrame;
    }
  }
  StackWalker walker(cache, !Modules::Closing(state));
  const WalkEnd end =
      walker.IsLastStack(caller) ? WalkEnd::kComplete : walker.Run(caller);
  if (end != WalkEnd::kComplete) [[unlikely]] {
    CountWalks(end, 1);
  } else if (++cache.complete_walks_ == WalkCache::kFoldEvery) [[unlikely]] {
    cache.FoldCounts();
  }
  VerifyWalk(caller, cache);
  return end;
}

__attribute__((noinline)) bool StackWalker::Prepare(WalkCache& cache,
                                                    uint64_t state,
                                                    uint32_t limit) {
  cache.depth_ = cache.first_new_ = cache.reusable_ = 0;
  // Nothing walked while an object may be going away is to be believed later.
  cache.module_state_ = Modules::Closing(state) ? ~uint64_t{0} : state;
  if (limit == cache.limit_) return true;
  cache.Release();
  void* p = OwnMemory::Map(BytesFor(limit), OwnUse::kThreads);
  if (p == nullptr) return false;
  cache.frames_ = static_cast<WalkFrame*>(p) + 1;
  cache.frames_[-1].sp = ~uintptr_t{0};
  cache.scratch_ = reinterpret_cast<FrameState*>(cache.frames_ + limit);
  cache.limit_ = limit;
  return true;
}

void WalkCache::FoldCounts() {
  CountWalks(WalkEnd::kComplete, complete_walks_);
  complete_walks_ = 0;
}

void WalkCache::Release() {
  FoldCounts();
  if (frames_ == nullptr) return;
  OwnMemory::Unmap(frames_ - 1, BytesFor(limit_), OwnUse::kThreads);
  frames_ = nullptr;
  scratch_ = nullptr;
  limit_ = depth_ = first_new_ = reusable_ = 0;
}

WalkEnd WalkStack(const CallerContext& caller, WalkCache& cache,
                  uint32_t depth_limit) {
  return StackWalker::Walk(caller, cache, depth_limit);
}

}  // namespace heaptally
