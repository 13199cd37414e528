#include "accounting/stack_step.h"

namespace heaptally {
namespace {

class Stepper {
 public:
  Stepper(const UnwindRule& rule, const FrameState& in,
          const WalkedFrames& walked, StackBounds& bounds, StackRange& range,
          FrameState& out)
      : rule_(rule),
        in_(in),
        walked_(walked),
        bounds_(bounds),
        range_(range),
        out_(out) {}

  StepResult Run() {
    switch (rule_.kind) {
      case UnwindRule::kCfaRsp:
        return ByCfa(in_.sp + Offset(), StepResult::kFrame);
      case UnwindRule::kCfaRbp:
        return ByCfa(in_.fp + Offset(), StepResult::kFrame);
      case UnwindRule::kCfaMemory: {
        uintptr_t cfa;
        if (!Read(in_.fp + Offset(), cfa)) return StepResult::kBadFrame;
        return ByCfa(cfa, StepResult::kSpecial);
      }
      case UnwindRule::kCfaRegister: {
        uintptr_t value;
        if (!CalleeSaved(rule_.cfa_register, value)) return StepResult::kNoRule;
        return ByCfa(value + Offset(), StepResult::kSpecial);
      }
      case UnwindRule::kSignal:
        return OverSignal();
      case UnwindRule::kNoTable:
        // The loader's entry point has no table and starts the constructors.
        if (IsBottomOfProcess(in_.sp)) return StepResult::kEnd;
        return ByFramePointer();
      case UnwindRule::kForeign:
        return ByFramePointer();
      case UnwindRule::kEnd:
        return StepResult::kEnd;
      default:
        return StepResult::kNoRule;
    }
  }

 private:
  uintptr_t Offset() const {
    return static_cast<uintptr_t>(intptr_t{rule_.cfa_offset});
  }

  // Reads a word of this stack; false if it is not one.
  bool Read(uintptr_t address, uintptr_t& value) {
    if ((address & 7) != 0 || address < range_.low) return false;
    if (address >= range_.high) {
      range_ = bounds_.Extend(in_.sp, address);
      if (address >= range_.high) return false;
    }
    value = ReadWord(address);
    return true;
  }

  bool ReadSaved(uintptr_t cfa, const UnwindRule& rule, uintptr_t& slot,
                 uintptr_t& value) {
    const uintptr_t base = rule.saved == UnwindRule::kAtCfa   ? cfa
                           : rule.saved == UnwindRule::kAtRsp ? in_.sp
                                                              : in_.fp;
    slot = base + static_cast<uintptr_t>(intptr_t{rule.saved_offset});
    return Read(slot, value);
  }

  StepResult ByCfa(uintptr_t cfa, StepResult result) {
    if (cfa <= in_.sp || !Read(cfa - 8, out_.pc)) return StepResult::kBadFrame;
    out_.sp = cfa;
    out_.fp = in_.fp;
    out_.fp_slot = nullptr;
    if (rule_.saved == UnwindRule::kLost) {
      out_.fp = 0;
    } else if (rule_.saved != UnwindRule::kSame) {
      uintptr_t slot;
      if (!ReadSaved(cfa, rule_, slot, out_.fp)) return StepResult::kBadFrame;
      out_.fp_slot = WordAt(slot);
    }
    return out_.pc == 0 ? StepResult::kEnd : result;
  }

  // The interrupted instruction has not been executed: pc + 1 makes it look
  // like a return address, of which everyone subtracts 1.
  StepResult OverSignal() {
    uintptr_t rip;
    if (!Read(in_.sp + kSignalRip, rip) ||
        !Read(in_.sp + kSignalRsp, out_.sp) ||
        !Read(in_.sp + kSignalRbp, out_.fp)) {
      return StepResult::kBadFrame;
    }
    if (rip == 0) return StepResult::kEnd;
    out_.pc = rip + 1;
    out_.fp_slot = nullptr;
    range_ = bounds_.RangeFor(out_.sp);
    return range_.Holds(out_.sp) ? StepResult::kSpecial
                                 : StepResult::kForeignStack;
  }

  // Code without a table, such as a just-in-time compiler's: believe rbp if it
  // points up this stack at something that was pushed by a call.
  StepResult ByFramePointer() {
    if (in_.fp < in_.sp || !Read(in_.fp, out_.fp) ||
        !Read(in_.fp + 8, out_.pc) || !FollowsCall(out_.pc)) {
      return StepResult::kNoRule;
    }
    out_.sp = in_.fp + 16;
    out_.fp_slot = WordAt(in_.fp);
    return StepResult::kFrame;
  }

  // True if the code before `pc` can be read and ends with a call.
  static bool FollowsCall(uintptr_t pc) {
    if (pc < 4096 || pc >> 47 != 0) return false;
    // Even inside an object there may be holes.
    if (!IsReadable((pc - 8) & ~uintptr_t{7}) ||
        !IsReadable((pc - 1) & ~uintptr_t{7})) {
      return false;
    }
    const uint8_t* p = reinterpret_cast<const uint8_t*>(pc);
    if (p[-5] == 0xe8) return true;
    // call *r/m: 2 to 7 bytes, 0xff with /2 in the middle of the next byte.
    for (int length = 2; length <= 7; ++length) {
      if (p[-length] == 0xff && (p[-length + 1] & 0x38) == 0x10) return true;
    }
    return false;
  }

  // The value of a callee-saved register in `in_`: the outermost of the inner
  // frames that saved it tells.
  bool CalleeSaved(uint8_t reg, uintptr_t& value) {
    for (uint32_t i = walked_.count; i-- > 0;) {
      const FrameState inner = walked_.at(walked_.context, i);
      const UnwindRule saved = UnwindRules::Compile(inner.pc - 1, reg);
      if (saved.kind == UnwindRule::kSignal) {
        return saved.saved == UnwindRule::kAtRsp &&
               ReadAt(inner.sp, saved.saved_offset, value);
      }
      if (saved.saved == UnwindRule::kSame) continue;
      if (saved.saved != UnwindRule::kAtCfa) return false;
      // The CFA of a frame is the stack pointer of its caller.
      const uintptr_t cfa = i + 1 < walked_.count
                                ? walked_.at(walked_.context, i + 1).sp
                                : in_.sp;
      return ReadAt(cfa, saved.saved_offset, value);
    }
    return false;
  }

  static bool ReadAt(uintptr_t base, int32_t offset, uintptr_t& value) {
    const uintptr_t at = base + static_cast<uintptr_t>(intptr_t{offset});
    if ((at & 7) != 0 || !IsReadable(at)) return false;
    value = ReadWord(at);
    return true;
  }

  const UnwindRule& rule_;
  const FrameState& in_;
  const WalkedFrames& walked_;
  StackBounds& bounds_;
  StackRange& range_;
  FrameState& out_;
};

}  // namespace

StepResult StepFully(const UnwindRule& rule, const FrameState& in,
                     const WalkedFrames& walked, StackBounds& bounds,
                     StackRange& range, FrameState& out) {
  return Stepper(rule, in, walked, bounds, range, out).Run();
}

}  // namespace heaptally
