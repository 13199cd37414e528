// A program that was built without HEAPTALLY_ENABLE and does not link
// heaptally.
#include <gtest/gtest.h>

#include "integration/api/heaptally.h"

namespace {

struct Trace {
  static Trace from_dump(const void* begin, size_t bytes) {
    return {*static_cast<void* const*>(begin), bytes};
  }
  void* first;
  size_t bytes;
};

TEST(DisabledApi, DoesNothingAndSaysSo) {
  EXPECT_EQ(heaptally_is_active(), 0);
  errno = 0;
  EXPECT_EQ(heaptally_snapshot("/nowhere", nullptr), -1);
  EXPECT_EQ(errno, ENOSYS);
}

TEST(DisabledApi, HasNoIntervals) {
  EXPECT_EQ(heaptally_begin_interval(HEAPTALLY_TELL_BLOCKS), -1);
  EXPECT_EQ(errno, ENOSYS);
  struct heaptally_interval totals;
  EXPECT_EQ(heaptally_stop_interval(0, &totals), -1);
  EXPECT_EQ(heaptally_release_interval(0), -1);
  EXPECT_EQ(heaptally_interval_tracebacks(0, nullptr, 0), 0u);
  EXPECT_EQ(heaptally_live_blocks(0, ~uint64_t{0}, nullptr, 0), 0u);
}

TEST(DisabledApi, GivesAnEmptyTraceback) {
  int block = 0;
  const Trace trace = heaptally::traceback_of<Trace>(&block);
  EXPECT_EQ(trace.first, nullptr);
  EXPECT_EQ(trace.bytes, sizeof(void*));
}

}  // namespace
