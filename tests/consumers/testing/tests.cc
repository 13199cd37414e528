#include <gtest/gtest.h>
#include <heaptally_gtest.h>

#include <string>
#include <vector>

TEST(Consumer, FreesWhatItTakes) {
  EXPECT_NO_LEAKS { std::vector<std::string> v(10, std::string(100, 'x')); }
}

TEST(Consumer, Leaks) {
  static std::string* volatile kept;
  EXPECT_NO_LEAKS { kept = new std::string(99, 'x'); }
  delete kept;
}
