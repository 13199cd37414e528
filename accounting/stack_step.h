// One step of a walk: from a frame to the one that called it. Internal to the
// stack walk; safety as there.
#ifndef HEAPTALLY_ACCOUNTING_STACK_STEP_H_
#define HEAPTALLY_ACCOUNTING_STACK_STEP_H_

#include <cstdint>

#include "accounting/stack_bounds.h"
#include "accounting/unwind_rules.h"

namespace heaptally {

// The registers of a frame. `fp_slot` is where fp was read from, or null.
struct FrameState {
  uintptr_t pc;
  uintptr_t sp;
  uintptr_t fp;
  const uintptr_t* fp_slot;
};

enum class StepResult : uint8_t {
  kFrame,    // a caller was found by its return-address slot and rbp slot
  kSpecial,  // a caller was found that also depends on other memory
  kEnd,
  kNoRule,
  kBadFrame,
  kForeignStack,
};

inline const uintptr_t* WordAt(uintptr_t address) {
  return reinterpret_cast<const uintptr_t*>(address);
}

// The common case: CFA from rsp or rbp, inside the known range. False if it is
// not the common case; then nothing was read outside the range.
inline bool StepPlain(PackedRule rule, const FrameState& in,
                      const StackRange& range, FrameState& out) {
  const uintptr_t base = rule.UsesRbp() ? in.fp : in.sp;
  const uintptr_t cfa = base + rule.CfaOffset();
  const uintptr_t below = rule.SavedBelow();
  if (!rule.IsPlain() || cfa <= in.sp || cfa > range.high || (cfa & 7) != 0 ||
      below > cfa - range.low) [[unlikely]] {
    return false;
  }
  const uintptr_t* slot = WordAt(cfa - (below != 0 ? below : 8));
  const uintptr_t saved = *slot;
  out.pc = WordAt(cfa)[-1];
  out.sp = cfa;
  out.fp = below != 0 ? saved : in.fp;
  out.fp_slot = below != 0 ? slot : nullptr;
  return true;
}

// Frames already walked, innermost first: where a callee-saved register of an
// outer frame may have been kept.
struct WalkedFrames {
  const void* context;
  uint32_t count;
  FrameState (*at)(const void* context, uint32_t index);
};

// Every case. `rule` is what applies to `in`; `bounds` and `range` belong to
// the stack that in.sp is on and are kept up to date.
StepResult StepFully(const UnwindRule& rule, const FrameState& in,
                     const WalkedFrames& walked, StackBounds& bounds,
                     StackRange& range, FrameState& out);

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_STACK_STEP_H_
