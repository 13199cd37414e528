// The interface in a program that is linked with heaptally.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/stacktrace/stacktrace.hpp>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "integration/api/heaptally.h"

namespace {

struct heaptally_counters Counters() {
  struct heaptally_counters counters;
  EXPECT_EQ(heaptally_get_counters(&counters), 0);
  return counters;
}

std::vector<void*> TracebackOf(const void* block) {
  std::vector<void*> frames(heaptally_traceback_of(block, nullptr, 0));
  EXPECT_EQ(heaptally_traceback_of(block, frames.data(), frames.size()),
            frames.size());
  return frames;
}

// Where the caller's malloc returns to lies in it.
[[gnu::noinline]] void* AllocateHere(size_t size) {
  void* block = malloc(size);
  asm volatile("" : "+r"(block));
  return block;
}

std::string TemporaryName() {
  return testing::TempDir() + "heaptally-api-" + std::to_string(getpid());
}

TEST(Api, IsActive) { EXPECT_EQ(heaptally_is_active(), 1); }

TEST(Api, CountsBlocksAndBytes) {
  const auto before = Counters();
  void* block = malloc(1000);
  const auto with = Counters();
  free(block);
  const auto after = Counters();
  EXPECT_EQ(with.current.blocks - before.current.blocks, 1u);
  EXPECT_EQ(with.current.requested - before.current.requested, 1000u);
  EXPECT_EQ(with.current.usable - before.current.usable, 1024u);
  EXPECT_EQ(after.current.usable, before.current.usable);
  EXPECT_EQ(after.ever.requested - before.ever.requested, 1000u);
  EXPECT_GT(after.own_bytes, 0u);
}

TEST(Api, ResetsThePeak) {
  free(malloc(50 << 20));
  EXPECT_GE(Counters().peak.usable, 50u << 20);
  ASSERT_EQ(heaptally_reset_peak(), 0);
  EXPECT_LT(Counters().peak.usable, 50u << 20);
}

TEST(Api, SwitchesTheMode) {
  ASSERT_EQ(heaptally_set_mode(HEAPTALLY_COUNTERS, 0), 0);
  void* unrecorded = AllocateHere(100);
  ASSERT_EQ(heaptally_set_mode(HEAPTALLY_SAMPLED, 1 << 20), 0);
  EXPECT_EQ(Counters().mode, static_cast<uint64_t>(HEAPTALLY_SAMPLED));
  EXPECT_EQ(Counters().sample_interval, 1u << 20);
  ASSERT_EQ(heaptally_set_mode(HEAPTALLY_ALL, 0), 0);
  void* recorded = AllocateHere(100);
  EXPECT_EQ(heaptally_traceback_of(unrecorded, nullptr, 0), 0u);
  EXPECT_GT(heaptally_traceback_of(recorded, nullptr, 0), 0u);
  free(unrecorded);
  free(recorded);
}

TEST(Api, RefusesModesThatDoNotExist) {
  EXPECT_EQ(heaptally_set_mode(HEAPTALLY_SAMPLED, 0), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(heaptally_set_mode(static_cast<heaptally_mode>(3), 0), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST(Api, TracebackBeginsInTheCallerOfMalloc) {
  void* block = AllocateHere(77);
  const std::vector<void*> frames = TracebackOf(block);
  ASSERT_FALSE(frames.empty());
  const auto pc = reinterpret_cast<uintptr_t>(frames[0]);
  const auto function = reinterpret_cast<uintptr_t>(&AllocateHere);
  EXPECT_GT(pc, function);
  EXPECT_LT(pc, function + 64);
  free(block);
}

TEST(Api, TracebackIsWhatBoostWalks) {
  void* block = nullptr;
  boost::stacktrace::stacktrace here;
  // One line: the same frame continues at two addresses, all others agree.
  block = AllocateHere(77), here = boost::stacktrace::stacktrace();
  const auto trace =
      heaptally::traceback_of<boost::stacktrace::stacktrace>(block);
  ASSERT_GT(trace.size(), 3u);
  // Boost begins in this function, the traceback one further in.
  const size_t depth = trace.size();
  ASSERT_GE(here.size() + 1, depth);
  for (size_t i = 2; i < depth; ++i) {
    EXPECT_EQ(trace[i].address(), here[i - 1].address()) << i;
  }
  EXPECT_EQ(heaptally::traceback_of(block).size(), depth);
  free(block);
}

TEST(Api, TracebackFillsNoMoreThanThereIsRoomFor) {
  void* block = AllocateHere(77);
  void* frames[3] = {};
  const size_t depth = heaptally_traceback_of(block, frames, 2);
  EXPECT_GT(depth, 2u);
  EXPECT_NE(frames[1], nullptr);
  EXPECT_EQ(frames[2], nullptr);
  free(block);
}

TEST(Api, NoTracebackOfWhatIsNoBlock) {
  int on_stack = 0;
  void* block = AllocateHere(77);
  void* freed = block;
  EXPECT_EQ(heaptally_traceback_of(&on_stack, nullptr, 0), 0u);
  EXPECT_EQ(heaptally_traceback_of(nullptr, nullptr, 0), 0u);
  EXPECT_EQ(heaptally_traceback_of(static_cast<char*>(block) + 16, nullptr, 0),
            0u);
  free(block);
  EXPECT_EQ(heaptally_traceback_of(freed, nullptr, 0), 0u);
}

TEST(Api, TakesSnapshotsFromSeveralThreads) {
  const std::string name = TemporaryName();
  std::vector<std::thread> threads;
  std::atomic<int> taken{0};
  std::atomic<int> refused{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const std::string path = name + "-" + std::to_string(i);
      for (int n = 0; n < 5; ++n) {
        if (heaptally_snapshot(path.c_str(), "api") == 0) {
          ++taken;
          EXPECT_EQ(access(path.c_str(), R_OK), 0);
        } else {
          EXPECT_EQ(errno, EBUSY);
          ++refused;
        }
      }
      unlink(path.c_str());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken + refused, 20);
  EXPECT_GT(taken, 0);
}

TEST(Api, SnapshotIsWholeOrNotThere) {
  const std::string name = TemporaryName();
  EXPECT_EQ(heaptally_snapshot((name + "/none/x").c_str(), nullptr), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(heaptally_snapshot("", nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(heaptally_snapshot(std::string(5000, 'x').c_str(), nullptr), -1);
  EXPECT_EQ(errno, ENAMETOOLONG);

  ASSERT_EQ(heaptally_snapshot(name.c_str(), "a label"), 0);
  std::ifstream file(name, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes.substr(0, 8), "HEAPTALY");
  EXPECT_NE(bytes.find("label=a label\n"), std::string::npos);
  unlink(name.c_str());
}

TEST(Api, SnapshotLeavesNoChildToWaitFor) {
  const std::string name = TemporaryName();
  ASSERT_EQ(heaptally_snapshot(name.c_str(), nullptr), 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  unlink(name.c_str());
}

// Called while operator new is at work.
void SnapshotHandler() {
  const std::string name = TemporaryName();
  EXPECT_EQ(heaptally_snapshot(name.c_str(), "in a handler"), 0);
  EXPECT_EQ(unlink(name.c_str()), 0);
  std::set_new_handler(nullptr);
}

TEST(Api, SnapshotInANewHandler) {
  std::set_new_handler(SnapshotHandler);
  void* block = operator new(SIZE_MAX / 4, std::nothrow);
  EXPECT_EQ(block, nullptr);
  EXPECT_EQ(std::get_new_handler(), nullptr);
}

}  // namespace
