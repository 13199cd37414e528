#include "accounting/dwarf_expression.h"

#include <gtest/gtest.h>

#include <vector>

namespace heaptally {
namespace {

SymbolicValue Evaluate(const std::vector<uint8_t>& code, uintptr_t pc = 0) {
  return EvaluateExpression(code.data(), code.data() + code.size(), pc);
}

// rsp + 8 + ((rip & 15) >= 11) << 3: what ld writes for a PLT.
const std::vector<uint8_t> kPlt = {0x77, 8,    0x80, 0,    0x3f, 0x1a,
                                   0x3b, 0x2a, 0x33, 0x24, 0x22};

TEST(DwarfExpression, GivesThePltFrameBeforeAndAfterItsPush) {
  for (uintptr_t offset = 0; offset < 16; ++offset) {
    const SymbolicValue v = Evaluate(kPlt, 0x401000 + offset);
    EXPECT_EQ(v.base, SymbolicValue::kRegister);
    EXPECT_EQ(v.reg, 7);
    EXPECT_EQ(v.offset, offset >= 11 ? 16 : 8) << offset;
  }
}

TEST(DwarfExpression, GivesTheSavedStackPointerOfASignalFrame) {
  const SymbolicValue v = Evaluate({0x77, 0xa0, 0x01, 0x06});
  EXPECT_EQ(v.base, SymbolicValue::kMemory);
  EXPECT_EQ(v.reg, 7);
  EXPECT_EQ(v.offset, 160);
}

TEST(DwarfExpression, GivesARealignedFrame) {
  const SymbolicValue v = Evaluate({0x76, 0x78, 0x06});
  EXPECT_EQ(v.base, SymbolicValue::kMemory);
  EXPECT_EQ(v.reg, 6);
  EXPECT_EQ(v.offset, -8);
}

TEST(DwarfExpression, RefusesWhatItDoesNotKnow) {
  const std::vector<std::vector<uint8_t>> unknown = {
      {},                        // no value
      {0x77, 8, 0x77, 8},        // two values
      {0x22},                    // too few operands
      {0xff},                    // no such operation
      {0x77, 8, 0x77, 8, 0x22},  // the sum of two registers
      {0x77, 8, 0x06, 0x06},     // memory of memory
      {0x77},                    // cut short
      {0x77, 0x80},              // cut short in a number
      {0x31, 0x08, 0x40, 0x24},  // shift by 64
      {0x31, 0x31, 0x31, 0x31, 0x31, 0x31, 0x31, 0x31, 0x31},  // too deep
  };
  for (const auto& code : unknown) {
    EXPECT_EQ(Evaluate(code).base, SymbolicValue::kInvalid) << code.size();
  }
}

TEST(DwarfExpression, EndsOnEveryInput) {
  uint64_t random = 1;
  for (int i = 0; i < 100000; ++i) {
    std::vector<uint8_t> code(i % 40);
    for (uint8_t& byte : code) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<uint8_t>(random >> 56);
    }
    Evaluate(code, random);
  }
}

}  // namespace
}  // namespace heaptally
