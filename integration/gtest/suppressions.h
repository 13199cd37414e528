// What the user says is no leak. A suppression is one line,
//
//   function: REGEX     the whole name of a function, with or without its
//                       parameters
//   file: REGEX         the whole path of a source file
//   module: REGEX       the whole path of a program or library
//
// and matches a block if a frame of its stack matches, from the caller of
// malloc or new out to the function that holds the measured block. The regular
// expression (ECMAScript) must match all of the name, so that a suppression of
// `Cache` leaves `CacheUser` alone. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_GTEST_SUPPRESSIONS_H_
#define HEAPTALLY_INTEGRATION_GTEST_SUPPRESSIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "integration/gtest/frame_names.h"

namespace heaptally::gtest {

class Suppressions {
 public:
  // Each gives an empty string, or says what is wrong; then nothing is added.
  static std::string Add(const std::string& line);
  // Empty lines and those that begin with # are skipped.
  static std::string AddFile(const std::string& path);

  // The number of the first suppression that matches a frame; -1: none does.
  static int Match(const std::vector<const FrameName*>& frames);

  static std::string TextOf(int number);

  // Those that have matched nothing so far.
  static std::vector<std::string> Unused();
};

}  // namespace heaptally::gtest

#endif  // HEAPTALLY_INTEGRATION_GTEST_SUPPRESSIONS_H_
