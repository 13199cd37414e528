// The DWARF expressions that occur in call-frame tables: PLT stubs, signal
// trampolines, realigned frames. They are evaluated when a rule is compiled,
// with the stack pointer and frame pointer left symbolic, so a walk never
// interprets anything. Pure functions over read-only memory; bounded.
#ifndef HEAPTALLY_ACCOUNTING_DWARF_EXPRESSION_H_
#define HEAPTALLY_ACCOUNTING_DWARF_EXPRESSION_H_

#include <cstdint>

namespace heaptally {

// A value: a number, a register plus a number, or the word in memory at that
// address.
struct SymbolicValue {
  enum Base : uint8_t { kInvalid, kNumber, kRegister, kMemory };
  Base base = kInvalid;
  uint8_t reg = 0;     // for kRegister and kMemory
  int64_t offset = 0;  // the number, or what is added to the register
};

// Evaluates [begin, end) for a frame that executes at `pc`. kInvalid for any
// operation or combination outside the known forms.
SymbolicValue EvaluateExpression(const uint8_t* begin, const uint8_t* end,
                                 uintptr_t pc);

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_DWARF_EXPRESSION_H_
