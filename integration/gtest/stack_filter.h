// Decides by its stack whether a block counts. Not thread-safe.
#ifndef HEAPTALLY_INTEGRATION_GTEST_STACK_FILTER_H_
#define HEAPTALLY_INTEGRATION_GTEST_STACK_FILTER_H_

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "integration/gtest/frame_names.h"

namespace heaptally::gtest {

// Return addresses, innermost first.
using Stack = std::vector<void*>;

Stack StackOf(uint32_t traceback);

enum class Side {
  kCounted,
  kNotAsked,    // the regular expression is not found
  kOurs,        // this library's
  kGoogleTest,  // GoogleTest's and gMock's
  kThreads,     // storage of threads, lists of exit handlers
  kSuppressed,
};

struct Sorted {
  Side side = Side::kCounted;
  int suppression = -1;
  // Allocated by a call from the measured code in its own thread (or in one
  // that came the same way).
  bool inside = false;
  // Out to the function that holds the measured code.
  std::vector<const FrameName*> frames;
};

class StackFilter {
 public:
  // `opener` is the stack at the beginning of the measured code, `caller` the
  // return address in it that lies in the function which holds that code, or
  // null. `from` is empty or a regular expression; throws std::regex_error.
  StackFilter(Stack opener, void* caller, const std::string& from,
              bool use_suppressions);

  Sorted Sort(uint32_t traceback) const;

 private:
  // Frames of `stack` that it does not share with the opener.
  size_t OwnDepth(const Stack& stack, bool* inside) const;

  Stack opener_;
  size_t outside_ = 0;  // frames of the opener beyond the caller; 0 unknown
  bool has_pattern_;
  std::regex pattern_;
  bool use_suppressions_;
};

}  // namespace heaptally::gtest

#endif  // HEAPTALLY_INTEGRATION_GTEST_STACK_FILTER_H_
