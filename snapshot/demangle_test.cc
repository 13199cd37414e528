#include "snapshot/demangle.h"

#include <gtest/gtest.h>

#include <string>

namespace heaptally {
namespace {

TEST(Demangle, GivesCxxNamesWithTheirParameters) {
  EXPECT_EQ(FunctionNameOfSymbol("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector<int, std::allocator<int> >::push_back(int const&)");
  EXPECT_EQ(FunctionNameOfSymbol("_ZN12_GLOBAL__N_14FindEv"),
            "(anonymous namespace)::Find()");
  EXPECT_EQ(FunctionNameOfSymbol("_ZZ4mainENKUliE_clEi"),
            "main::{lambda(int)#1}::operator()(int) const");
}

TEST(Demangle, GivesRustNamesOfBothManglings) {
  EXPECT_EQ(
      FunctionNameOfSymbol("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
      "core::fmt::Write::write_fmt");
  EXPECT_EQ(FunctionNameOfSymbol("_RNvNtCs1234_7mycrate3foo3bar"),
            "mycrate::foo::bar");
}

TEST(Demangle, GivesNamesOfD) {
  EXPECT_EQ(FunctionNameOfSymbol("_D8demangle4testFZv"), "demangle.test()");
}

TEST(Demangle, KeepsNamesOfThousandsOfCharactersWhole) {
  std::string symbol = "_Z4FindIJ";
  std::string shown;
  for (int i = 100; i < 500; ++i) {
    symbol += "11SomeType" + std::to_string(i);
    shown += (i == 100 ? "SomeType" : ", SomeType") + std::to_string(i);
  }
  symbol += "EEvv";
  ASSERT_GT(symbol.size(), 5000u);
  EXPECT_EQ(FunctionNameOfSymbol(symbol), "void Find<" + shown + ">()");
}

TEST(Demangle, LeavesMonstrousNamesMangled) {
  std::string symbol = "_Z1f" + std::string(1 << 20, 'P') + "i";
  EXPECT_EQ(FunctionNameOfSymbol(symbol), symbol);
}

TEST(Demangle, SurvivesTheDeepestNamesThatItTries) {
  for (std::string_view nested : {"P", "N1a", "K", "FvP", "1aIJ", "DpDT"}) {
    std::string symbol = "_Z1f";
    while (symbol.size() + nested.size() < 16383) symbol += nested;
    symbol += "i";
    EXPECT_EQ(FunctionNameOfSymbol(symbol), symbol);
  }
}

TEST(Demangle, DropsVersionsAndMarksOfClones) {
  EXPECT_EQ(FunctionNameOfSymbol("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(FunctionNameOfSymbol("parse.constprop.0.isra.2.cold"), "parse");
  EXPECT_EQ(FunctionNameOfSymbol("_Z3addii.part.0"), "add(int, int)");
  EXPECT_EQ(FunctionNameOfSymbol("_Z3addii.llvm.12345"), "add(int, int)");
}

TEST(Demangle, LeavesOtherNamesAlone) {
  for (const char* name : {"main", "", "main.clone.f", "local.3", ".cold",
                           "_Zfoo", "_start", "Sub::f", "a.b"}) {
    EXPECT_EQ(FunctionNameOfSymbol(name), name);
  }
}

}  // namespace
}  // namespace heaptally
