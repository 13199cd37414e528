// Libraries that come and go, also at the same addresses.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "accounting/modules.h"
#include "tests/unwind/referee.h"

namespace heaptally::unwind {
namespace {

using Entry = void (*)(void (*)());

struct Plugin {
  explicit Plugin(const char* path) : handle(dlopen(path, RTLD_NOW)) {
    EXPECT_NE(handle, nullptr) << dlerror();
    entry = reinterpret_cast<Entry>(dlsym(handle, "PluginEntry"));
    second = reinterpret_cast<Entry>(dlsym(handle, "PluginSecondEntry"));
  }
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(entry); }

  void* handle;
  Entry entry;
  Entry second;
};

struct Unloaded {
  uintptr_t start, end;
  uint16_t generation;
};
std::vector<Unloaded> unloads;

class Unloading : public testing::Test {
 protected:
  void SetUp() override {
    Findings() = {};
    unloads.clear();
    Modules::SetUnloadedHook([](uintptr_t start, uintptr_t end, uint16_t g) {
      unloads.push_back({start, end, g});
    });
  }
  void TearDown() override {
    Modules::SetUnloadedHook(nullptr);
    EXPECT_EQ(Findings().wrong, 0u) << Findings().report;
    EXPECT_EQ(Findings().incomplete, 0u);
  }
};

TEST_F(Unloading, IsReportedWithTheRangeOnce) {
  Plugin plugin(PLUGIN_A);
  plugin.entry(CheckHere);
  const uintptr_t address = plugin.address();
  ASSERT_EQ(dlclose(plugin.handle), 0);
  ASSERT_EQ(unloads.size(), 1u);
  EXPECT_LE(unloads[0].start, address);
  EXPECT_GT(unloads[0].end, address);
  EXPECT_GE(unloads[0].generation, 1u);
  ASSERT_EQ(dlclose(dlopen(nullptr, RTLD_NOW)), 0);
  EXPECT_EQ(unloads.size(), 1u);
}

TEST_F(Unloading, KeepsARecordOfTheModule) {
  Plugin plugin(PLUGIN_A);
  plugin.entry(CheckHere);
  dlclose(plugin.handle);
  ASSERT_EQ(unloads.size(), 1u);
  bool found = false;
  for (uint32_t i = 0; i < Modules::Count(); ++i) {
    const Module& module = Modules::At(i);
    if (module.generation != unloads[0].generation) continue;
    found = true;
    EXPECT_EQ(module.start, unloads[0].start);
    EXPECT_EQ(module.end, unloads[0].end);
    EXPECT_STREQ(module.path, PLUGIN_A);
    EXPECT_EQ(module.build_id_size, 20u);
    EXPECT_EQ(module.bias, module.start);
  }
  EXPECT_TRUE(found);
}

TEST_F(Unloading, OfAHandleThatIsStillInUseChangesNothing) {
  Plugin first(PLUGIN_A), second(PLUGIN_A);
  first.entry(CheckHere);
  dlclose(first.handle);
  EXPECT_EQ(unloads.size(), 0u);
  second.entry(CheckHere);
  dlclose(second.handle);
  EXPECT_EQ(unloads.size(), 1u);
}

TEST_F(Unloading, AnotherLibraryAtTheSameAddressIsWalkedByItsOwnTable) {
  for (int round = 0; round < 5; ++round) {
    Plugin a(PLUGIN_A);
    const uintptr_t address = a.address();
    a.entry(CheckHere);
    a.entry(CheckHere);
    dlclose(a.handle);
    Plugin b(PLUGIN_B);
    ASSERT_EQ(b.address(), address);
    b.entry(CheckHere);
    // Nothing of the last stack was believed.
    EXPECT_EQ(TestCache().unwound(), TestCache().depth());
    b.entry(CheckHere);
    EXPECT_LT(TestCache().unwound(), TestCache().depth());
    dlclose(b.handle);
  }
  EXPECT_EQ(unloads.size(), 10u);
}

TEST_F(Unloading, WalksInTheDestructorsOfALibrary) {
  Plugin plugin(PLUGIN_A);
  plugin.entry(CheckHere);
  *static_cast<void (**)()>(dlsym(plugin.handle, "plugin_on_unload")) =
      CheckHere;
  const uint64_t before = Findings().walks;
  dlclose(plugin.handle);
  EXPECT_EQ(Findings().walks, before + 1);
}

TEST_F(Unloading, BehindOurBackIsNoticedWhenAnotherLibraryIsMet) {
  auto* real = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
  ASSERT_NE(real, nullptr);
  Plugin a(PLUGIN_A);
  const uintptr_t address = a.address();
  a.entry(CheckHere);
  real(a.handle);
  EXPECT_EQ(unloads.size(), 0u);
  Plugin b(PLUGIN_B);
  ASSERT_EQ(b.address(), address);
  b.second(CheckHere);
  EXPECT_EQ(unloads.size(), 1u);
  b.entry(CheckHere);
  dlclose(b.handle);
  EXPECT_EQ(unloads.size(), 2u);
}

TEST_F(Unloading, ErrorsAreThoseOfTheCLibrary) {
  auto* real = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
  alignas(16) static char nothing[8192];
  const int expected = real(nothing);
  const std::string message = dlerror();
  EXPECT_EQ(dlclose(nothing), expected);
  EXPECT_EQ(dlerror(), message);
}

std::atomic<uint64_t> compared, differing;
void CompareOnly() {
  CallerContext context;
  CallWithContext(
      &context,
      [](CallerContext* c, void*) {
        uintptr_t pcs[128];
        WalkCache& cache = TestCache();
        const WalkEnd end = WalkStack(*c, cache, 128);
        const ScratchWalk walk = WalkFromScratch(*c, pcs, 128);
        bool same = end == walk.end && cache.depth() == walk.depth;
        for (uint32_t i = 0; same && i < walk.depth; ++i) {
          same = cache.frames()[walk.depth - 1 - i].pc == pcs[i];
        }
        ++compared;
        if (!same) ++differing;
      },
      nullptr);
}

TEST_F(Unloading, UnderLoadFromSeveralThreads) {
  Modules::SetUnloadedHook(nullptr);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 300; ++i) {
        Plugin plugin((i + t) % 2 == 0 ? PLUGIN_A : PLUGIN_B);
        for (int n = 0; n < 3; ++n) {
          plugin.entry(CompareOnly);
          plugin.second(CompareOnly);
          CompareOnly();
        }
        dlclose(plugin.handle);
      }
      TestCache().Release();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(differing, 0u);
  EXPECT_EQ(compared, 4u * 300 * 9);
}

}  // namespace
}  // namespace heaptally::unwind
