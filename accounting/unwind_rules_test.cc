#include "accounting/unwind_rules.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <thread>
#include <vector>

namespace heaptally {
namespace {

// Addresses in libc's code, three bytes apart: instructions and the middle of
// instructions.
std::vector<uintptr_t> Addresses(size_t count) {
  dl_find_object libc;
  EXPECT_EQ(_dl_find_object(reinterpret_cast<void*>(&qsort), &libc), 0);
  std::vector<uintptr_t> result;
  uintptr_t p = reinterpret_cast<uintptr_t>(&qsort);
  for (size_t i = 0; i < count; ++i) result.push_back(p += 3);
  return result;
}

void ExpectSame(uintptr_t address) {
  const UnwindRule found =
      UnwindRules::Full(UnwindRules::Find(address), address);
  const UnwindRule compiled = UnwindRules::Compile(address);
  ASSERT_EQ(found.kind, compiled.kind) << address;
  if (compiled.kind == UnwindRule::kUnknown ||
      compiled.kind == UnwindRule::kEnd ||
      compiled.kind == UnwindRule::kNoTable ||
      compiled.kind == UnwindRule::kForeign) {
    return;
  }
  EXPECT_EQ(found.cfa_offset, compiled.cfa_offset);
  EXPECT_EQ(found.saved, compiled.saved);
  if (compiled.saved != UnwindRule::kSame) {
    EXPECT_EQ(found.saved_offset, compiled.saved_offset);
  }
}

TEST(UnwindRules, RememberedRulesAreTheCompiledOnes) {
  for (int round = 0; round < 2; ++round) {
    for (uintptr_t address : Addresses(20000)) ExpectSame(address);
  }
}

TEST(UnwindRules, MoreAddressesThanTheTableHolds) {
  for (uintptr_t address : Addresses(300000)) UnwindRules::Find(address);
  for (uintptr_t address : Addresses(300000)) {
    if (address % 16 == 0) ExpectSame(address);
  }
}

TEST(UnwindRules, AreRightAfterAFlush) {
  for (uintptr_t address : Addresses(3000)) UnwindRules::Find(address);
  UnwindRules::Flush();
  for (uintptr_t address : Addresses(3000)) ExpectSame(address);
}

TEST(UnwindRules, FoundFlushedAndGrownByManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const std::vector<uintptr_t> addresses = Addresses(20000);
      for (int round = 0; round < 3; ++round) {
        for (size_t i = 0; i < addresses.size(); ++i) {
          ExpectSame(addresses[(i * 7 + t * 5000) % addresses.size()]);
          if (t == 0 && i % 3000 == 0) UnwindRules::Flush();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(UnwindRules, AddressesInNoObjectAreForeign) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const uintptr_t address = reinterpret_cast<uintptr_t>(page) + 100;
  for (uintptr_t a : {address, address, uintptr_t{0}, uintptr_t{5},
                      ~uintptr_t{0}, uintptr_t{1} << 47}) {
    EXPECT_EQ(UnwindRules::Full(UnwindRules::Find(a), a).kind,
              UnwindRule::kForeign);
  }
  munmap(page, 4096);
}

// Go, and others that bring their own trampoline.
TEST(UnwindRules, ASignalReturnWithoutATableIsRecognised) {
  constexpr uint8_t kCode[] = {0x90, 0x48, 0xc7, 0xc0, 0x0f,
                               0,    0,    0,    0x0f, 0x05};
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, kCode, sizeof(kCode));
  const uintptr_t address = reinterpret_cast<uintptr_t>(page);
  EXPECT_EQ(UnwindRules::Full(UnwindRules::Find(address), address).kind,
            UnwindRule::kSignal);
  munmap(page, 4096);
}

// Without a sanitizer's red zones, which change the frame.
__attribute__((noinline, no_sanitize("address"))) void LargeFrame() {
  char large[300000];
  asm volatile("" : : "r"(large) : "memory");
}

TEST(UnwindRules, LargeFramesFitIntoTheList) {
  LargeFrame();
  bool large = false;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(&LargeFrame);
  for (uintptr_t a = begin; a < begin + 60; ++a) {
    const UnwindRule rule = UnwindRules::Full(UnwindRules::Find(a), a);
    large |= rule.cfa_offset > 290000;
    ExpectSame(a);
  }
  EXPECT_TRUE(large);
}

}  // namespace
}  // namespace heaptally
