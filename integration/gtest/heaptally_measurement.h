// Measures a stretch of a test and judges it: the part of heaptally::gtest and
// heaptally::benchmark that needs neither GoogleTest nor Google Benchmark.
// C++14. Thread-safe.
#ifndef HEAPTALLY_MEASUREMENT_H_
#define HEAPTALLY_MEASUREMENT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace heaptally {
namespace gtest {

enum class Check { kNoLeaks, kAllocations, kThreadAllocations, kPeak };

struct Limit {
  Check check;
  std::uint64_t most;  // blocks or bytes
  std::string from;    // regular expression; empty: everything
  int baseline_runs;
};

struct Verdict {
  bool passed;
  std::string message;
};

class Measurement;

// Empty if heaptally is the program's allocator; else why nothing can be
// measured.
std::string WhyInactive();

// Begins; `caller` is the return address into the function that holds the
// measured code, or null. Null with `error` set if that is not possible.
Measurement* BeginMeasurement(const Limit& limit, void* caller,
                              std::string* error);

// Ends, judges and deletes it. It is not to be used by another thread.
Verdict EndMeasurement(Measurement* measurement, const Limit& limit);

// For heaptally::benchmark. Bytes are usable bytes.
struct BenchmarkTotals {
  std::int64_t allocations = 0;
  std::int64_t peak = 0;    // above the beginning
  std::int64_t total = 0;   // allocated
  std::int64_t growth = 0;  // allocated and not freed
};

// As the two above; one at a time. End gives an empty string, or what is wrong.
Measurement* BeginBenchmark(std::string* error);
std::string EndBenchmark(Measurement* measurement, BenchmarkTotals* totals);

// See heaptally_gtest.h and suppressions.h.
std::string SuppressLeaks(const std::string& line);
std::string SuppressLeaksOf(const std::string& file);
std::vector<std::string> UnusedSuppressions();

}  // namespace gtest
}  // namespace heaptally

#endif  // HEAPTALLY_MEASUREMENT_H_
