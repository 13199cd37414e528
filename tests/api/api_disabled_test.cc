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

TEST(DisabledApi, GivesAnEmptyTraceback) {
  int block = 0;
  const Trace trace = heaptally::traceback_of<Trace>(&block);
  EXPECT_EQ(trace.first, nullptr);
  EXPECT_EQ(trace.bytes, sizeof(void*));
}

}  // namespace
