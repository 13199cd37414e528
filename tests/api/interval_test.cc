// Intervals, live blocks by birth and a thread's own counters, in a program
// that is linked with heaptally. All numbers are exact.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "integration/api/heaptally.h"

namespace {

constexpr unsigned kAll = HEAPTALLY_TELL_BLOCKS | HEAPTALLY_TELL_TRACEBACKS;

// malloc that the compiler leaves alone.
[[gnu::noinline]] void* Allocate(size_t size) {
  void* block = malloc(size);
  asm volatile("" : "+r"(block));
  return block;
}

struct heaptally_interval Stop(int interval) {
  struct heaptally_interval totals = {};
  EXPECT_EQ(heaptally_stop_interval(interval, &totals), 0);
  return totals;
}

struct heaptally_thread_counters ThreadCounters() {
  struct heaptally_thread_counters counters = {};
  EXPECT_EQ(heaptally_get_thread_counters(&counters), 0);
  return counters;
}

std::vector<heaptally_block> BlocksOf(const heaptally_interval& totals) {
  std::vector<heaptally_block> blocks(1000);
  const size_t count = heaptally_live_blocks(
      totals.first_epoch, totals.last_epoch, blocks.data(), blocks.size());
  EXPECT_LE(count, blocks.size());
  blocks.resize(count);
  return blocks;
}

TEST(Interval, CountsWhatWasAllocatedAndStayed) {
  void* const older = Allocate(500);
  const int interval = heaptally_begin_interval(0);
  ASSERT_GE(interval, 0);
  void* const kept = Allocate(1000);
  free(Allocate(5000));
  free(older);
  const auto totals = Stop(interval);
  EXPECT_EQ(totals.allocated.blocks, 2u);
  EXPECT_EQ(totals.allocated.requested, 6000u);
  EXPECT_EQ(totals.allocated.usable, 1024u + 5120u);
  EXPECT_EQ(totals.end.blocks, totals.start.blocks);
  EXPECT_EQ(totals.end.requested - totals.start.requested, 500u);
  EXPECT_EQ(totals.peak.usable - totals.start.usable, 1024u + 5120u);
  EXPECT_EQ(totals.peak.requested - totals.start.requested, 6000u);
  EXPECT_EQ(totals.peak_bound, 0u);
  EXPECT_EQ(totals.threads, 1u);
  EXPECT_EQ(totals.first_epoch, 0u);
  EXPECT_EQ(heaptally_release_interval(interval), 0);
  free(kept);
}

TEST(Interval, ThatIsStoppedStaysAsItIs) {
  const int interval = heaptally_begin_interval(0);
  const auto first = Stop(interval);
  void* const block = Allocate(100);
  const auto second = Stop(interval);
  EXPECT_EQ(first.allocated.blocks, 0u);
  EXPECT_EQ(second.allocated.blocks, 0u);
  free(block);
  EXPECT_EQ(heaptally_release_interval(interval), 0);
}

TEST(Interval, HasItsOwnPeakAndLeavesTheProcesss) {
  free(Allocate(50 << 20));
  struct heaptally_counters before;
  heaptally_get_counters(&before);
  const int outer = heaptally_begin_interval(0);
  free(Allocate(100 << 10));
  const int inner = heaptally_begin_interval(0);
  free(Allocate(20 << 10));
  const auto inside = Stop(inner);
  free(Allocate(40 << 10));
  const auto outside = Stop(outer);
  struct heaptally_counters after;
  heaptally_get_counters(&after);
  EXPECT_EQ(inside.peak.usable - inside.start.usable, 20u << 10);
  EXPECT_EQ(outside.peak.usable - outside.start.usable, 112u << 10);
  EXPECT_EQ(after.peak.usable, before.peak.usable);
  heaptally_release_interval(inner);
  heaptally_release_interval(outer);
}

TEST(Interval, PeakSurvivesAResetOfTheProcesss) {
  const int interval = heaptally_begin_interval(0);
  void* const large = Allocate(1 << 20);
  ASSERT_EQ(heaptally_reset_peak(), 0);
  free(large);
  ASSERT_EQ(heaptally_reset_peak(), 0);
  const auto totals = Stop(interval);
  EXPECT_EQ(totals.peak.usable - totals.start.usable, 1u << 20);
  heaptally_release_interval(interval);
}

TEST(Interval, TellsItsLiveBlocksAndTheirStacks) {
  void* const older = Allocate(100);
  const int interval = heaptally_begin_interval(kAll);
  void* const kept = Allocate(77);
  free(Allocate(77));
  const auto totals = Stop(interval);
  void* const later = Allocate(100);
  const auto blocks = BlocksOf(totals);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].address, kept);
  EXPECT_EQ(blocks[0].requested, 77u);
  EXPECT_EQ(blocks[0].usable, 80u);
  void* by_number[64];
  void* by_block[64];
  const size_t depth = heaptally_traceback(blocks[0].traceback, by_number, 64);
  ASSERT_GT(depth, 1u);
  ASSERT_EQ(heaptally_traceback_of(kept, by_block, 64), depth);
  EXPECT_TRUE(
      std::equal(by_number, by_number + std::min<size_t>(depth, 64), by_block));
  heaptally_release_interval(interval);
  free(older);
  free(kept);
  free(later);
}

TEST(Interval, CountsTheAllocationsOfEachTraceback) {
  const int interval = heaptally_begin_interval(kAll);
  void* kept[100];
  for (int i = 0; i < 50; ++i) free(Allocate(10));
  for (void*& block : kept) block = Allocate(20);
  const auto totals = Stop(interval);
  std::vector<heaptally_traceback_tally> tallies(100);
  tallies.resize(heaptally_interval_tracebacks(interval, tallies.data(), 100));
  ASSERT_EQ(tallies.size(), 2u);
  EXPECT_EQ(tallies[0].allocated.blocks, 50u);
  EXPECT_EQ(tallies[0].allocated.requested, 500u);
  EXPECT_EQ(tallies[1].allocated.blocks, 100u);
  EXPECT_EQ(tallies[1].allocated.usable, 3200u);
  EXPECT_EQ(totals.allocated.blocks, 150u);
  heaptally_release_interval(interval);
  for (void* block : kept) free(block);
}

TEST(Interval, CountsAllThreadsExactly) {
  constexpr int kThreads = 4;
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::atomic<int> done{0};
  std::atomic<bool> end{false};
  std::vector<void*> kept(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      free(Allocate(1));
      ++ready;
      while (!go) std::this_thread::yield();
      for (int i = 0; i < 10000; ++i) free(Allocate(48));
      kept[t] = Allocate(333);
      ++done;
      while (!end) std::this_thread::yield();
    });
  }
  while (ready != kThreads) std::this_thread::yield();
  const int interval = heaptally_begin_interval(kAll);
  go = true;
  while (done != kThreads) std::this_thread::yield();
  const auto totals = Stop(interval);
  EXPECT_EQ(totals.allocated.blocks, 40004u);
  EXPECT_EQ(totals.allocated.requested, 40000u * 48 + 4 * 333);
  EXPECT_EQ(totals.end.blocks - totals.start.blocks, 4u);
  EXPECT_EQ(totals.threads, 4u);
  EXPECT_EQ(totals.peak_bound, 4u << 16);
  EXPECT_EQ(BlocksOf(totals).size(), 4u);
  heaptally_release_interval(interval);
  end = true;
  for (std::thread& thread : threads) thread.join();
  for (void* block : kept) free(block);
}

TEST(Interval, PeakIsExactBesideIdleThreads) {
  std::atomic<bool> end{false};
  std::atomic<bool> ready{false};
  std::thread idle([&] {
    void* const block = Allocate(3000);
    ready = true;
    while (!end) std::this_thread::yield();
    free(block);
  });
  while (!ready) std::this_thread::yield();
  const int interval = heaptally_begin_interval(0);
  free(Allocate(640));
  const auto totals = Stop(interval);
  EXPECT_EQ(totals.peak.usable - totals.start.usable, 640u);
  EXPECT_EQ(totals.peak_bound, 0u);
  heaptally_release_interval(interval);
  end = true;
  idle.join();
}

TEST(Interval, NumbersAreLimitedAndReused) {
  std::vector<int> open;
  for (int i = 0; i < 16; ++i) open.push_back(heaptally_begin_interval(kAll));
  EXPECT_GE(open.back(), 0);
  EXPECT_EQ(heaptally_begin_interval(0), -1);
  EXPECT_EQ(errno, ENOBUFS);
  for (const int interval : open) {
    EXPECT_EQ(heaptally_release_interval(interval), 0);
  }
  const int again = heaptally_begin_interval(0);
  EXPECT_GE(again, 0);
  EXPECT_EQ(heaptally_release_interval(again), 0);
}

TEST(Interval, RefusesNumbersThatAreNone) {
  struct heaptally_interval totals;
  for (const int number : {-1, 0, 16}) {
    EXPECT_EQ(heaptally_stop_interval(number, &totals), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(heaptally_release_interval(number), -1);
    EXPECT_EQ(errno, EINVAL);
  }
}

TEST(ThreadCounters, AreTheCallersAlone) {
  void* const block = Allocate(10);
  std::atomic<bool> end{false};
  std::thread other([&] {
    while (!end) free(Allocate(64));
  });
  const auto before = ThreadCounters();
  void* const kept = realloc(Allocate(100), 200);
  free(block);
  const auto after = ThreadCounters();
  end = true;
  other.join();
  EXPECT_EQ(after.allocated.blocks - before.allocated.blocks, 2u);
  EXPECT_EQ(after.allocated.requested - before.allocated.requested, 300u);
  EXPECT_EQ(after.freed.blocks - before.freed.blocks, 2u);
  EXPECT_EQ(after.freed.requested - before.freed.requested, 110u);
  EXPECT_EQ(after.freed.usable - before.freed.usable, 112u + 16u);
  free(kept);
}

TEST(Block, IsFoundByItsAddressAlone) {
  char* const block = static_cast<char*>(Allocate(1000));
  struct heaptally_block found;
  ASSERT_EQ(heaptally_find_block(block, &found), 0);
  EXPECT_EQ(found.requested, 1000u);
  EXPECT_EQ(found.usable, 1024u);
  EXPECT_EQ(heaptally_find_block(block + 8, &found), -1);
  EXPECT_EQ(errno, ENOENT);
  free(block);
}

}  // namespace
