// Compiles one row of a DWARF call-frame table (.eh_frame) into a small rule.
// Reads only the read-only tables of loaded objects: no allocation, no locks,
// no libc calls but `_dl_find_object` (which is lock-free), so it is safe in
// signal handlers. The answer holds as long as the object stays loaded.
//
// It is not a general unwinder: it follows the stack pointer, the return
// address and one tracked register (the frame pointer, unless told otherwise).
#ifndef HEAPTALLY_ACCOUNTING_EH_FRAME_H_
#define HEAPTALLY_ACCOUNTING_EH_FRAME_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

// DWARF numbers of the x86-64 registers that matter here.
inline constexpr uint8_t kRegRbp = 6;
inline constexpr uint8_t kRegRsp = 7;
inline constexpr uint8_t kRegReturn = 16;

// How the frame that executes at an address is left.
struct UnwindRule {
  enum Kind : uint8_t {
    kUnknown = 0,      // no table row, or a form that we do not evaluate
    kCfaRsp = 1,       // CFA = rsp + cfa_offset
    kCfaRbp = 2,       // CFA = rbp + cfa_offset
    kCfaMemory = 3,    // CFA = *(rbp + cfa_offset): realigned frames
    kCfaRegister = 4,  // CFA = cfa_register + cfa_offset: hand-written code
    kSignal = 5,       // a signal trampoline: all registers are in a ucontext
    kEnd = 6,          // undefined return address: nobody called this frame
    kForeign = 7,      // the address belongs to no loaded object
    kNoTable = 8,      // in an object, but no table row covers the address
  };
  // Where the caller's value of the tracked register is.
  enum Saved : uint8_t {
    kSame = 0,   // still in the register
    kAtCfa = 1,  // in memory at CFA + saved_offset
    kAtRsp = 2,  // … rsp + saved_offset
    kAtRbp = 3,  // … rbp + saved_offset
    kLost = 4,   // not recoverable
  };

  Kind kind = kUnknown;
  Saved saved = kSame;
  uint8_t cfa_register = 0;
  int32_t cfa_offset = 0;
  int32_t saved_offset = 0;
};

// Offsets from a signal trampoline's stack pointer (the address of the
// ucontext) to the interrupted registers.
inline constexpr int kSignalRbp = 120;
inline constexpr int kSignalRsp = 160;
inline constexpr int kSignalRip = 168;

// The rule for the instruction at `address` by the table whose .eh_frame_hdr
// is at `header`. `tracked` is the register that `saved` speaks of.
UnwindRule CompileRule(const uint8_t* header, uintptr_t address,
                       uint8_t tracked = kRegRbp);

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_EH_FRAME_H_
