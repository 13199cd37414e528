// The flags of heaptally_gtest.h, read once from the command line of the
// process and its environment. C++14.
#ifndef HEAPTALLY_GTEST_FLAGS_H_
#define HEAPTALLY_GTEST_FLAGS_H_

#include <string>

namespace heaptally {
namespace gtest {

enum class OnLeaks { kFail, kWarn, kOff };

struct Flags {
  OnLeaks leaks = OnLeaks::kFail;
  bool baseline = false;
  bool skip_inactive = false;
  std::string suppressions;
};

// Ends the program with status 2 and a message if a flag has no meaning.
const Flags& GetFlags();

inline bool SkipsWhenInactive() { return GetFlags().skip_inactive; }

}  // namespace gtest
}  // namespace heaptally

#endif  // HEAPTALLY_GTEST_FLAGS_H_
