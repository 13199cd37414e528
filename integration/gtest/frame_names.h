// Names return addresses of this process: function, file, line, inlined calls.
// By libbacktrace, directly: Boost.Stacktrace, which sits on it too, keeps only
// the outermost of the functions that were inlined into one another. Safe in
// any thread, not in signal handlers. What it keeps for itself is mapped, but
// names are strings on the heap.
#ifndef HEAPTALLY_INTEGRATION_GTEST_FRAME_NAMES_H_
#define HEAPTALLY_INTEGRATION_GTEST_FRAME_NAMES_H_

#include <string>
#include <vector>

namespace heaptally::gtest {

struct FrameName {
  std::string symbol;    // as the linker knows it; empty if unknown
  std::string function;  // as a person writes it; the address if unknown
  std::string file;      // empty if unknown
  int line = 0;
  std::string module;  // the file that holds the code
};

// The functions at the return address `pc`, inlined ones first. Never empty.
// The reference stays valid.
const std::vector<FrameName>& NamesOf(void* pc);

}  // namespace heaptally::gtest

#endif  // HEAPTALLY_INTEGRATION_GTEST_FRAME_NAMES_H_
