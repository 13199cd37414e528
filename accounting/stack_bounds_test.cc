#include "accounting/stack_bounds.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <thread>

namespace heaptally {
namespace {

constexpr uintptr_t kPage = 4096;

uintptr_t Here() {
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) & ~7ul;
}

// Readable pages between unreadable ones.
class Island {
 public:
  explicit Island(size_t pages) : bytes_((pages + 2) * kPage) {
    memory_ = static_cast<char*>(
        mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + kPage, pages * kPage, PROT_READ | PROT_WRITE);
  }
  ~Island() { munmap(memory_, bytes_); }
  uintptr_t begin() const {
    return reinterpret_cast<uintptr_t>(memory_) + kPage;
  }
  uintptr_t end() const { return begin() + bytes_ - 2 * kPage; }

 private:
  size_t bytes_;
  char* memory_;
};

TEST(StackBounds, ReadableIsWhatCanBeRead) {
  Island island(1);
  errno = 42;
  EXPECT_TRUE(IsReadable(island.begin()));
  EXPECT_TRUE(IsReadable(island.end() - 8));
  EXPECT_FALSE(IsReadable(island.end()));
  EXPECT_FALSE(IsReadable(island.begin() - 8));
  EXPECT_FALSE(IsReadable(0));
  EXPECT_FALSE(IsReadable(~uintptr_t{7}));
  EXPECT_FALSE(IsReadable(uintptr_t{1} << 60));
  EXPECT_EQ(errno, 42);
}

TEST(StackBounds, HoldTheWholeOfAThreadsOwnStack) {
  const auto check = [] {
    StackBounds bounds;
    EXPECT_TRUE(bounds.EnterThread());
    EXPECT_FALSE(bounds.EnterThread());
    const StackRange range = bounds.RangeFor(Here());
    EXPECT_TRUE(range.Holds(Here()));
    EXPECT_TRUE(IsReadable(range.high - 8));
    // Nothing above is taken for it.
    EXPECT_EQ(bounds.Extend(Here(), range.high + 100).high, range.high);
  };
  check();
  std::thread(check).join();
}

TEST(StackBounds, OfAnotherStackGrowPageByPageAndStopAtItsEnd) {
  Island island(5);
  StackBounds bounds;
  bounds.EnterThread();
  const uintptr_t sp = island.begin() + 16;
  EXPECT_EQ(bounds.RangeFor(sp).high, island.begin() + kPage);
  EXPECT_EQ(bounds.Extend(sp, island.begin() + 2 * kPage).high,
            island.begin() + 3 * kPage);
  EXPECT_EQ(bounds.Extend(sp, island.end() + 8).high, island.end());
  EXPECT_EQ(bounds.RangeFor(sp).high, island.end());
}

TEST(StackBounds, ForgetOneForeignStackForTheNext) {
  Island first(2), second(2);
  StackBounds bounds;
  bounds.EnterThread();
  bounds.RangeFor(first.begin());
  bounds.Extend(first.begin(), first.begin() + kPage);
  bounds.RangeFor(second.begin());
  EXPECT_EQ(bounds.RangeFor(first.begin()).high, first.begin() + kPage);
}

TEST(StackBounds, AreEmptyForBadStackPointers) {
  StackBounds bounds;
  bounds.EnterThread();
  Island island(1);
  for (uintptr_t sp : {uintptr_t{0}, uintptr_t{8}, island.begin() + 4,
                       island.end(), ~uintptr_t{7}}) {
    EXPECT_FALSE(bounds.RangeFor(sp).Holds(sp));
  }
}

__attribute__((noinline)) bool DeepStackIsHeld(StackBounds& bounds, int depth) {
  volatile char frame[100000];
  frame[0] = 1;
  if (!bounds.RangeFor(Here()).Holds(Here())) return false;
  return depth == 0 || (DeepStackIsHeld(bounds, depth - 1) && frame[0] == 1);
}

TEST(StackBounds, FollowAStackThatGrows) {
  StackBounds bounds;
  bounds.EnterThread();
  EXPECT_TRUE(DeepStackIsHeld(bounds, 60));
}

}  // namespace
}  // namespace heaptally
