#include "accounting/eh_frame.h"

#include "accounting/dwarf_expression.h"
#include "accounting/dwarf_reader.h"
#include "accounting/eh_frame_entry.h"

namespace heaptally {
namespace {

struct RegisterRule {
  enum Kind : uint8_t {
    kUnset,
    kSame,
    kOffset,
    kExpression,
    kUndefined,
    kOther
  };
  Kind kind = kUnset;
  int64_t offset = 0;
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
};

struct Row {
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  const uint8_t* cfa_begin = nullptr;  // set when the CFA is an expression
  const uint8_t* cfa_end = nullptr;
  RegisterRule tracked;
  RegisterRule return_address;
};

// Runs call-frame programs up to the row that covers an address.
class RowBuilder {
 public:
  RowBuilder(const Cie& cie, uintptr_t start, uintptr_t address,
             uint8_t tracked)
      : cie_(cie), location_(start), address_(address), tracked_(tracked) {}

  bool Run(const Fde& fde) {
    if (!Execute(DwarfReader(cie_.program, cie_.end))) return false;
    initial_ = row_;
    return Execute(DwarfReader(fde.program, fde.end));
  }
  const Row& row() const { return row_; }

 private:
  static constexpr int kMaxRemembered = 16;

  RegisterRule* Slot(uint64_t reg) {
    if (reg == tracked_) return &row_.tracked;
    if (reg == cie_.return_register) return &row_.return_address;
    return nullptr;
  }
  void Set(uint64_t reg, RegisterRule::Kind kind, int64_t offset = 0) {
    if (RegisterRule* slot = Slot(reg))
      *slot = {kind, offset, nullptr, nullptr};
  }
  void SetOffset(uint64_t reg, int64_t factored) {
    Set(reg, RegisterRule::kOffset, factored * cie_.data_align);
  }
  void Restore(uint64_t reg) {
    if (reg == tracked_) row_.tracked = initial_.tracked;
    if (reg == cie_.return_register) {
      row_.return_address = initial_.return_address;
    }
  }
  // False when the row that covers the address is complete.
  bool Advance(uint64_t delta) {
    location_ += delta * cie_.code_align;
    return location_ <= address_;
  }
  void DefineCfa(uint64_t reg, int64_t offset) {
    row_.cfa_register = reg;
    row_.cfa_offset = offset;
    row_.cfa_begin = nullptr;
  }

  bool Execute(DwarfReader reader) {
    while (!reader.AtEnd()) {
      const uint8_t op = reader.Fixed<uint8_t>();
      const uint8_t low = op & 0x3f;
      switch (op >> 6) {
        case 1:
          if (!Advance(low)) return reader.ok();
          continue;
        case 2:
          SetOffset(low, static_cast<int64_t>(reader.Uleb()));
          continue;
        case 3:
          Restore(low);
          continue;
        default:
          break;
      }
      bool done = false;
      if (op >= 0x02 && op <= 0x04) {
        const uint64_t delta = op == 0x02   ? reader.Fixed<uint8_t>()
                               : op == 0x03 ? reader.Fixed<uint16_t>()
                                            : reader.Fixed<uint32_t>();
        done = !Advance(delta);
      } else if (!Extended(op, reader)) {
        return false;
      }
      if (done) return reader.ok();
    }
    return reader.ok();
  }

  bool Extended(uint8_t op, DwarfReader& reader) {
    switch (op) {
      case 0x00:
        return true;
      case 0x01:
        location_ = reader.Encoded(cie_.pointer_encoding, 0);
        return location_ <= address_;
      case 0x0a:
        if (remembered_count_ == kMaxRemembered) return false;
        remembered_[remembered_count_++] = row_;
        return true;
      case 0x0b:
        if (remembered_count_ == 0) return false;
        row_ = remembered_[--remembered_count_];
        return true;
      case 0x2e:  // size of the arguments pushed: nothing to do
        reader.Uleb();
        return true;
      default:
        return op >= 0x0c && op <= 0x13 && op != 0x10 ? DefineCfaBy(op, reader)
                                                      : SetRegister(op, reader);
    }
  }

  bool DefineCfaBy(uint8_t op, DwarfReader& reader) {
    switch (op) {
      case 0x0c: {
        const uint64_t reg = reader.Uleb();
        DefineCfa(reg, static_cast<int64_t>(reader.Uleb()));
        return true;
      }
      case 0x12: {
        const uint64_t reg = reader.Uleb();
        DefineCfa(reg, reader.Sleb() * cie_.data_align);
        return true;
      }
      case 0x0d:
        DefineCfa(reader.Uleb(), row_.cfa_offset);
        return true;
      case 0x0e:
        DefineCfa(row_.cfa_register, static_cast<int64_t>(reader.Uleb()));
        return true;
      case 0x13:
        DefineCfa(row_.cfa_register, reader.Sleb() * cie_.data_align);
        return true;
      case 0x0f: {
        const uint64_t size = reader.Uleb();
        row_.cfa_begin = reader.position();
        reader.Skip(size);
        row_.cfa_end = reader.position();
        return reader.ok();
      }
      default:
        return false;
    }
  }

  bool SetRegister(uint8_t op, DwarfReader& reader) {
    const uint64_t reg = reader.Uleb();
    switch (op) {
      case 0x05:
        SetOffset(reg, static_cast<int64_t>(reader.Uleb()));
        return true;
      case 0x11:
        SetOffset(reg, reader.Sleb());
        return true;
      case 0x2f:
        SetOffset(reg, -static_cast<int64_t>(reader.Uleb()));
        return true;
      case 0x06:
        Restore(reg);
        return true;
      case 0x07:
        Set(reg, RegisterRule::kUndefined);
        return true;
      case 0x08:
        Set(reg, RegisterRule::kSame);
        return true;
      case 0x09:
      case 0x14:
        reader.Uleb();
        Set(reg, RegisterRule::kOther);
        return true;
      case 0x15:
        reader.Sleb();
        Set(reg, RegisterRule::kOther);
        return true;
      case 0x10:
      case 0x16: {
        const uint64_t size = reader.Uleb();
        const uint8_t* begin = reader.position();
        reader.Skip(size);
        if (RegisterRule* slot = Slot(reg)) {
          *slot = {
              op == 0x10 ? RegisterRule::kExpression : RegisterRule::kOther, 0,
              begin, reader.position()};
        }
        return reader.ok();
      }
      default:
        return false;
    }
  }

  const Cie& cie_;
  uintptr_t location_;
  uintptr_t address_;
  uint8_t tracked_;
  Row row_;
  Row initial_;
  Row remembered_[kMaxRemembered];
  int remembered_count_ = 0;
};

bool Fits(int64_t n) { return n == static_cast<int32_t>(n); }

// Fills in the CFA part; kUnknown when the form is not one that we know.
void TranslateCfa(const Row& row, uintptr_t pc, UnwindRule& rule) {
  SymbolicValue cfa{SymbolicValue::kRegister,
                    static_cast<uint8_t>(row.cfa_register), row.cfa_offset};
  if (row.cfa_begin != nullptr) {
    cfa = EvaluateExpression(row.cfa_begin, row.cfa_end, pc);
  }
  if (!Fits(cfa.offset) || row.cfa_register > kRegReturn) return;
  rule.cfa_offset = static_cast<int32_t>(cfa.offset);
  rule.cfa_register = cfa.reg;
  if (cfa.base == SymbolicValue::kRegister) {
    rule.kind = cfa.reg == kRegRsp   ? UnwindRule::kCfaRsp
                : cfa.reg == kRegRbp ? UnwindRule::kCfaRbp
                                     : UnwindRule::kCfaRegister;
  } else if (cfa.base == SymbolicValue::kMemory && cfa.reg == kRegRbp) {
    rule.kind = UnwindRule::kCfaMemory;
  }
}

void TranslateSaved(const RegisterRule& saved, uintptr_t pc, UnwindRule& rule) {
  rule.saved_offset = 0;
  switch (saved.kind) {
    case RegisterRule::kUnset:
    case RegisterRule::kSame:
      rule.saved = UnwindRule::kSame;
      return;
    case RegisterRule::kOffset:
      rule.saved = Fits(saved.offset) ? UnwindRule::kAtCfa : UnwindRule::kLost;
      rule.saved_offset = static_cast<int32_t>(saved.offset);
      return;
    case RegisterRule::kExpression:
      break;
    default:
      rule.saved = UnwindRule::kLost;
      return;
  }
  const SymbolicValue at = EvaluateExpression(saved.begin, saved.end, pc);
  const bool known = at.base == SymbolicValue::kRegister && Fits(at.offset) &&
                     (at.reg == kRegRsp || at.reg == kRegRbp);
  rule.saved = !known              ? UnwindRule::kLost
               : at.reg == kRegRsp ? UnwindRule::kAtRsp
                                   : UnwindRule::kAtRbp;
  rule.saved_offset = static_cast<int32_t>(at.offset);
}

// True if the trampoline's table says what kSignal means.
bool IsSignalRow(const Row& row, uintptr_t pc) {
  if (row.cfa_begin == nullptr ||
      row.return_address.kind != RegisterRule::kExpression) {
    return false;
  }
  const SymbolicValue cfa = EvaluateExpression(row.cfa_begin, row.cfa_end, pc);
  const SymbolicValue rip =
      EvaluateExpression(row.return_address.begin, row.return_address.end, pc);
  return cfa.base == SymbolicValue::kMemory && cfa.reg == kRegRsp &&
         cfa.offset == kSignalRsp && rip.base == SymbolicValue::kRegister &&
         rip.reg == kRegRsp && rip.offset == kSignalRip;
}

}  // namespace

UnwindRule CompileRule(const uint8_t* header, uintptr_t address,
                       uint8_t tracked) {
  UnwindRule rule;
  Cie cie;
  Fde fde;
  if (!FindFrameEntry(header, address, cie, fde)) {
    // A return address that is the first instruction of a function was put
    // there to start it (makecontext does so): nobody called.
    const bool start = FindFrameEntry(header, address + 1, cie, fde) &&
                       fde.begin == address + 1;
    rule.kind = start ? UnwindRule::kEnd : UnwindRule::kNoTable;
    return rule;
  }
  RowBuilder builder(cie, fde.begin, address, tracked);
  if (!builder.Run(fde)) return rule;
  const Row& row = builder.row();
  if (row.return_address.kind == RegisterRule::kUndefined) {
    rule.kind = UnwindRule::kEnd;
    return rule;
  }
  if (IsSignalRow(row, address)) {
    rule.kind = UnwindRule::kSignal;
    TranslateSaved(row.tracked, address, rule);
    return rule;
  }
  if (row.return_address.kind != RegisterRule::kOffset ||
      row.return_address.offset != -8) {
    return rule;
  }
  TranslateCfa(row, address, rule);
  TranslateSaved(row.tracked, address, rule);
  return rule;
}

}  // namespace heaptally
