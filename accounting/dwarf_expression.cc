#include "accounting/dwarf_expression.h"

#include "accounting/dwarf_reader.h"

namespace heaptally {
namespace {

using Value = SymbolicValue;

constexpr int kMaxStack = 8;
constexpr int kMaxOperations = 32;
constexpr uint8_t kRip = 16;

class Evaluator {
 public:
  Evaluator(const uint8_t* begin, const uint8_t* end, uintptr_t pc)
      : reader_(begin, end), pc_(pc) {}

  Value Run() {
    for (int i = 0; i < kMaxOperations && !reader_.AtEnd(); ++i) {
      if (!Operation(reader_.Fixed<uint8_t>()) || !reader_.ok()) return {};
    }
    return reader_.AtEnd() && depth_ == 1 ? stack_[0] : Value{};
  }

 private:
  bool Push(Value v) {
    if (depth_ == kMaxStack || v.base == Value::kInvalid) return false;
    stack_[depth_++] = v;
    return true;
  }
  bool PushNumber(int64_t n) { return Push({Value::kNumber, 0, n}); }
  Value Pop() { return depth_ > 0 ? stack_[--depth_] : Value{}; }

  bool PushRegister(uint8_t reg, int64_t offset) {
    if (reg == kRip) return PushNumber(static_cast<int64_t>(pc_) + offset);
    return Push({Value::kRegister, reg, offset});
  }

  static Value Sum(Value a, Value b) {
    if (b.base != Value::kNumber) {
      const Value t = a;
      a = b;
      b = t;
    }
    if (b.base != Value::kNumber || a.base == Value::kInvalid ||
        a.base == Value::kMemory) {
      return {};
    }
    a.offset += b.offset;
    return a;
  }

  // Operations on two numbers.
  bool Binary(uint8_t op) {
    const Value b = Pop();
    const Value a = Pop();
    if (op == 0x22) return Push(Sum(a, b));
    if (a.base != Value::kNumber || b.base != Value::kNumber) return false;
    const int64_t x = a.offset;
    const int64_t y = b.offset;
    const bool shift_ok = y >= 0 && y < 64;
    switch (op) {
      case 0x1a:
        return PushNumber(x & y);
      case 0x1c:
        return PushNumber(x - y);
      case 0x21:
        return PushNumber(x | y);
      case 0x24:
        return shift_ok &&
               PushNumber(static_cast<int64_t>(static_cast<uint64_t>(x) << y));
      case 0x25:
        return shift_ok &&
               PushNumber(static_cast<int64_t>(static_cast<uint64_t>(x) >> y));
      case 0x29:
        return PushNumber(x == y);
      case 0x2a:
        return PushNumber(x >= y);
      case 0x2b:
        return PushNumber(x > y);
      case 0x2c:
        return PushNumber(x <= y);
      case 0x2d:
        return PushNumber(x < y);
      case 0x2e:
        return PushNumber(x != y);
      default:
        return false;
    }
  }

  bool Dereference() {
    const Value v = Pop();
    if (v.base != Value::kRegister) return false;
    return Push({Value::kMemory, v.reg, v.offset});
  }

  bool Operation(uint8_t op) {
    if (op >= 0x30 && op <= 0x4f) return PushNumber(op - 0x30);
    if (op >= 0x70 && op <= 0x8f) {
      return PushRegister(static_cast<uint8_t>(op - 0x70), reader_.Sleb());
    }
    switch (op) {
      case 0x06:
        return Dereference();
      case 0x08:
        return PushNumber(reader_.Fixed<uint8_t>());
      case 0x09:
        return PushNumber(reader_.Fixed<int8_t>());
      case 0x0a:
        return PushNumber(reader_.Fixed<uint16_t>());
      case 0x0b:
        return PushNumber(reader_.Fixed<int16_t>());
      case 0x0c:
        return PushNumber(reader_.Fixed<uint32_t>());
      case 0x0d:
        return PushNumber(reader_.Fixed<int32_t>());
      case 0x10:
        return PushNumber(static_cast<int64_t>(reader_.Uleb()));
      case 0x11:
        return PushNumber(reader_.Sleb());
      case 0x23: {
        const int64_t n = static_cast<int64_t>(reader_.Uleb());
        return Push(Sum(Pop(), {Value::kNumber, 0, n}));
      }
      case 0x92: {
        const uint64_t reg = reader_.Uleb();
        return reg <= kRip &&
               PushRegister(static_cast<uint8_t>(reg), reader_.Sleb());
      }
      case 0x96:
        return true;
      default:
        return Binary(op);
    }
  }

  DwarfReader reader_;
  uintptr_t pc_;
  Value stack_[kMaxStack];
  int depth_ = 0;
};

}  // namespace

SymbolicValue EvaluateExpression(const uint8_t* begin, const uint8_t* end,
                                 uintptr_t pc) {
  return Evaluator(begin, end, pc).Run();
}

}  // namespace heaptally
