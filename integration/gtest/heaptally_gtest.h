// GoogleTest assertions about the heap. C++14, any GoogleTest from 1.10 on.
//
//   EXPECT_NO_LEAKS { … }              every block born inside is freed inside
//   EXPECT_ALLOCATIONS_LE(n) { … }     at most n blocks are allocated
//   EXPECT_NO_ALLOCATIONS { … }        none is
//   EXPECT_PEAK_LE(bytes) { … }        the heap never grows by more than that,
//                                      in usable bytes, above where it began
//
// They count all threads of the process. The code inside runs once, as written:
// return, break, continue and exceptions leave it and are checked too.
// Variants:
//
//   EXPECT_NO_THREAD_ALLOCATIONS, EXPECT_THREAD_ALLOCATIONS_LE(n)
//                                      what the calling thread does, alone
//   EXPECT_NO_LEAKS_FROM(regex), EXPECT_NO_ALLOCATIONS_FROM(regex),
//   EXPECT_ALLOCATIONS_FROM_LE(regex, n)
//                                      blocks whose stack has a frame, inside
//                                      of the braces, in whose "function
//                                      file:line" the ECMAScript regex is found
//   EXPECT_NO_LEAKS_WHEN_REPEATED      runs the code twice and checks the
//   second
//                                      time: caches are filled by then
//
// Linking heaptally::gtest also adds a listener that fails each test which
// leaks. Flags of the test program, or variables of the same name in capitals
// (HEAPTALLY_LEAKS=off):
//
//   --heaptally_leaks=fail|warn|off    what the listener does; fail
//   --heaptally_baseline               runs the tests twice; leaks count from
//                                      the second time on
//   --heaptally_suppressions=FILE      lines as in SuppressLeaks
//   --heaptally_inactive=fail|skip     what happens if heaptally is not the
//                                      program's allocator; fail
//
// Not counted as blocks: what GoogleTest, gMock and this library allocate for
// themselves, the thread-local storage of new threads, and lists of exit
// handlers. The message tells how much was left out, and by which rule. From
// the first of these checks on the program records the stack of each block.
#ifndef HEAPTALLY_GTEST_H_
#define HEAPTALLY_GTEST_H_

#include <gtest/gtest.h>
#include <heaptally_measurement.h>

#include <cstdint>
#include <string>

namespace heaptally {
namespace gtest {

// std::string SuppressLeaks(const std::string& line) declares what is no leak:
// "function: REGEX", "file: REGEX" or "module: REGEX", which must match the
// whole name in some frame. Gives an empty string, or what is wrong with it.

// For the macros.
class Expectation {
 public:
  Expectation(Limit limit, const char* file, int line);
  ~Expectation();
  Expectation(const Expectation&) = delete;
  Expectation& operator=(const Expectation&) = delete;

  // True as often as the code is to run.
  bool Runs();
  void EndRun();

 private:
  void Report(const std::string& message) const;

  const Limit limit_;
  const char* const file_;
  const int line_;
  int runs_ = 0;
  bool inside_ = false;
  Measurement* measurement_ = nullptr;
};

}  // namespace gtest
}  // namespace heaptally

#define HEAPTALLY_GTEST_NAME_2(line) heaptally_expectation_##line
#define HEAPTALLY_GTEST_NAME(line) HEAPTALLY_GTEST_NAME_2(line)
#define HEAPTALLY_GTEST_EXPECT(check, most, from, baseline_runs)               \
  for (::heaptally::gtest::Expectation HEAPTALLY_GTEST_NAME(__LINE__)(         \
           ::heaptally::gtest::Limit{::heaptally::gtest::Check::check,         \
                                     static_cast<std::uint64_t>(most), (from), \
                                     (baseline_runs)},                         \
           __FILE__, __LINE__);                                                \
       HEAPTALLY_GTEST_NAME(__LINE__).Runs();                                  \
       HEAPTALLY_GTEST_NAME(__LINE__).EndRun())

#define EXPECT_NO_LEAKS HEAPTALLY_GTEST_EXPECT(kNoLeaks, 0, "", 0)
#define EXPECT_NO_LEAKS_FROM(regex) \
  HEAPTALLY_GTEST_EXPECT(kNoLeaks, 0, regex, 0)
#define EXPECT_NO_LEAKS_WHEN_REPEATED HEAPTALLY_GTEST_EXPECT(kNoLeaks, 0, "", 1)
#define EXPECT_ALLOCATIONS_LE(n) HEAPTALLY_GTEST_EXPECT(kAllocations, n, "", 0)
#define EXPECT_ALLOCATIONS_FROM_LE(regex, n) \
  HEAPTALLY_GTEST_EXPECT(kAllocations, n, regex, 0)
#define EXPECT_NO_ALLOCATIONS EXPECT_ALLOCATIONS_LE(0)
#define EXPECT_NO_ALLOCATIONS_FROM(regex) EXPECT_ALLOCATIONS_FROM_LE(regex, 0)
#define EXPECT_THREAD_ALLOCATIONS_LE(n) \
  HEAPTALLY_GTEST_EXPECT(kThreadAllocations, n, "", 0)
#define EXPECT_NO_THREAD_ALLOCATIONS EXPECT_THREAD_ALLOCATIONS_LE(0)
#define EXPECT_PEAK_LE(bytes) HEAPTALLY_GTEST_EXPECT(kPeak, bytes, "", 0)

#endif  // HEAPTALLY_GTEST_H_
