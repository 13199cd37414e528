// Tests that leak and tests that do not, for listener_test.py.
#include <gtest/gtest.h>
#include <heaptally_gtest.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <thread>

namespace {

void* kept[100];
int count = 0;

[[gnu::noinline]] void Leak(size_t size) { kept[count++] = malloc(size); }

[[gnu::noinline]] std::string& Cache() {
  static std::string* const cache = new std::string(500, 'x');
  return *cache;
}

const std::string at_start(100, 'x');  // before main

TEST(Clean, FreesAll) { EXPECT_EQ(std::string(100, 'x'), at_start); }

TEST(Clean, JoinsItsThread) {
  std::thread([] { free(malloc(10)); }).join();
}

// The listener is tried on a test that is skipped: what GoogleTest keeps of it
// is no leak of the test.
TEST(Clean, Skips) { GTEST_SKIP() << std::string(1000, 's'); }

TEST(Clean, RecordsProperties) { RecordProperty("key", "value"); }

TEST(Leaky, KeepsBlocks) {
  for (int i = 0; i < 30; ++i) Leak(300);
}

TEST(Leaky, FillsACache) { EXPECT_EQ(Cache()[0], 'x'); }

class Fixture : public ::testing::Test {
 protected:
  std::unique_ptr<int> member_ = std::make_unique<int>(1);
};

TEST_F(Fixture, IsDeleted) { EXPECT_EQ(*member_, 1); }

TEST(CleanDeathTest, Dies) { EXPECT_DEATH(abort(), ""); }

TEST(Macro, Passes) {
  EXPECT_NO_ALLOCATIONS {}
}

}  // namespace
