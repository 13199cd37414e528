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

// Reads a word of the stack. The instruction is spelled out because it may lie
// in what a sanitizer takes for forbidden ground: between other people's
// variables.
inline uintptr_t ReadWord(const uintptr_t* word) {
  uintptr_t value;
  asm("mov %1, %0" : "=r"(value) : "m"(*word));
  return value;
}
inline uintptr_t ReadWord(uintptr_t address) {
  return ReadWord(WordAt(address));
}

// The common case: CFA from rsp or rbp, inside the known range. Turns the frame
// into its caller. False if it is not the common case; then nothing was read
// outside the range and the frame is as it was. The frame's parts are passed
// one by one so that they stay in registers.
inline bool StepPlain(PackedRule rule, const StackRange& range, uintptr_t& pc,
                      uintptr_t& sp, uintptr_t& fp, const uintptr_t*& fp_slot) {
  // A branch and not a choice of values: the processor goes on with the likely
  // one before the rule has arrived.
  uintptr_t cfa = sp + rule.CfaOffset();
  if (rule.UsesRbp()) {
    cfa = fp + rule.CfaOffset();
    asm("" : "+r"(cfa));
  }
  const uintptr_t below = rule.SavedBelow();
  if (!rule.IsPlain() || cfa <= sp || cfa > range.high || (cfa & 7) != 0 ||
      below > cfa - range.low) [[unlikely]] {
    return false;
  }
  const uintptr_t return_address = ReadWord(cfa - 8);
  if (return_address == 0) [[unlikely]] {
    return false;
  }
  pc = return_address;
  sp = cfa;
  fp_slot = nullptr;
  if (below != 0) {
    fp_slot = WordAt(cfa - below);
    fp = ReadWord(fp_slot);
  }
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
