#include "accounting/traceback_table.h"

#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "accounting/own_memory.h"
#include "gtest/gtest.h"

namespace heaptally {
namespace {

constexpr NodeId kRoot = static_cast<NodeId>(WalkEnd::kComplete);
// A small table, so that the tests reach its end.
constexpr TracebackId kLimit = 3000;

class TracebackTableTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(TracebackTable::Init(kLimit)); }
};

NodeId Insert(const std::vector<uintptr_t>& outermost_first) {
  NodeId node = kRoot;
  for (uintptr_t pc : outermost_first) node = TracebackTable::Child(node, pc);
  return node;
}

TEST_F(TracebackTableTest, GivesTheSameNodeForTheSameStack) {
  const NodeId node = Insert({0x1000, 0x2000, 0x3000});
  EXPECT_GE(node, kFirstNode);
  EXPECT_EQ(Insert({0x1000, 0x2000, 0x3000}), node);
}

TEST_F(TracebackTableTest, TellsStacksApartThatDifferInOneFrame) {
  const NodeId a = Insert({0x1000, 0x2000, 0x3000});
  EXPECT_NE(Insert({0x1000, 0x2001, 0x3000}), a);
  EXPECT_NE(Insert({0x1001, 0x2000, 0x3000}), a);
  EXPECT_NE(Insert({0x2000, 0x3000}), a);
}

TEST_F(TracebackTableTest, LeadsFromTheLeafBackToTheRoot) {
  const NodeId leaf = Insert({0x10, 0x20, 0x30});
  const TracebackNode& inner = TracebackTable::NodeAt(leaf);
  EXPECT_EQ(inner.pc.load(), 0x30u);
  const TracebackNode& middle = TracebackTable::NodeAt(inner.parent);
  EXPECT_EQ(middle.pc.load(), 0x20u);
  EXPECT_EQ(TracebackTable::NodeAt(middle.parent).parent, kRoot);
}

TEST_F(TracebackTableTest, FollowsAModelThroughGrowth) {
  std::mt19937_64 random(1);
  std::unordered_map<uint64_t, NodeId> model;  // (parent, pc) → id
  std::vector<NodeId> nodes{kRoot};
  for (int i = 0; i < 100000; ++i) {
    const NodeId parent = nodes[random() % nodes.size()];
    const uintptr_t pc = 0x400000 + random() % 50;
    const NodeId id = TracebackTable::Child(parent, pc);
    const auto [at, fresh] = model.emplace(uint64_t{parent} << 32 | pc, id);
    ASSERT_EQ(at->second, id);
    if (fresh) nodes.push_back(id);
    if (TracebackTable::NeedsGrowth()) TracebackTable::Grow();
    ASSERT_FALSE(TracebackTable::NeedsGrowth());
  }
}

TEST_F(TracebackTableTest, GivesAllThreadsTheSameIds) {
  constexpr int kThreads = 4;
  std::vector<std::vector<TracebackId>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&ids, t] {
      for (uintptr_t i = 0; i < 500; ++i) {
        const NodeId leaf = Insert({0x900000 + i % 7, 0xa00000 + i % 31, i});
        ids[t].push_back(TracebackTable::TracebackOf(leaf));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(ids[t], ids[0]);
  // A thread that lost a race leaves no second traceback of the node behind.
  const TracebackId count = TracebackTable::TracebackCount();
  for (TracebackId id = kFirstTraceback; id < count; ++id) {
    const NodeId node = TracebackTable::RecordAt(id).node;
    if (node == 0) continue;
    EXPECT_EQ(TracebackTable::NodeAt(node).traceback.load(), id);
  }
}

TEST_F(TracebackTableTest, NeverTakesNewCodeForCodeThatWasUnloaded) {
  const NodeId old_leaf = Insert({0x1000, 0x7000010});
  TracebackTable::RetireRange(0x7000000, 0x7001000, 3);
  EXPECT_EQ(TracebackTable::NodeAt(old_leaf).pc.load(),
            uint64_t{3} << 48 | 0x7000010);
  const NodeId new_leaf = Insert({0x1000, 0x7000010});
  EXPECT_NE(new_leaf, old_leaf);
  EXPECT_EQ(TracebackTable::NodeAt(new_leaf).pc.load(), 0x7000010u);
  // Also after the buckets were made anew, by the address without the tag.
  TracebackTable::RetireRange(0x7000000, 0x7001000, 4);
  EXPECT_EQ(TracebackTable::NodeAt(old_leaf).pc.load() >> 48, 3u);
  EXPECT_EQ(TracebackTable::NodeAt(new_leaf).pc.load() >> 48, 4u);
}

TEST_F(TracebackTableTest, CountsItsMemory) {
  const uint64_t before = OwnMemory::Used(OwnUse::kTracebacks);
  const NodeId leaf = Insert({0xabc001, 0xabc002});
  EXPECT_EQ(OwnMemory::Used(OwnUse::kTracebacks),
            before + 2 * sizeof(TracebackNode));
  TracebackTable::TracebackOf(leaf);
  EXPECT_EQ(OwnMemory::Used(OwnUse::kTracebacks),
            before + 2 * sizeof(TracebackNode) + sizeof(TracebackRecord));
}

// Last: fills the table.
TEST_F(TracebackTableTest, SaysThatItIsFullAndCounts) {
  TracebackId last = 0;
  uintptr_t pc = 0x5000000;
  while (TracebackTable::TracebackCount() < kLimit + kFirstTraceback) {
    last = TracebackTable::TracebackOf(Insert({pc++}));
    ASSERT_GE(last, kFirstTraceback);
  }
  EXPECT_EQ(last, kLimit + kFirstTraceback - 1);
  const uint64_t full = TracebackTable::FullCount();
  EXPECT_EQ(TracebackTable::TracebackOf(Insert({pc++})), kTableFull);
  EXPECT_EQ(TracebackTable::TracebackOf(Insert({pc++})), kTableFull);
  EXPECT_EQ(TracebackTable::FullCount(), full + 2);
  // What is known goes on to be found.
  EXPECT_EQ(TracebackTable::TracebackOf(Insert({pc - 3})), last);
}

}  // namespace
}  // namespace heaptally
