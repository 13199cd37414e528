// The part of a newer Google Benchmark's header that matters here: Stop takes a
// reference and is pure, and the form with a pointer is gone.
#ifndef HEAPTALLY_TESTS_NEWER_BENCHMARK_H_
#define HEAPTALLY_TESTS_NEWER_BENCHMARK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace benchmark {

class MemoryManager {
 public:
  struct Result {
    int64_t num_allocs = 0;
    int64_t max_bytes_used = 0;
    int64_t total_allocated_bytes = 0;
    int64_t net_heap_growth = 0;
    int64_t memory_iterations = 0;
  };
  virtual ~MemoryManager() = default;
  virtual void Start() = 0;
  virtual void Stop(Result& result) = 0;
};
void RegisterMemoryManager(MemoryManager* manager);

struct Counter {
  enum Flags { kDefaults = 0 };
  enum OneK : uint16_t { kIs1000 = 1000, kIs1024 = 1024 };
  Counter(double v = 0, Flags f = kDefaults, OneK k = kIs1000)  // NOLINT
      : value(v), flags(f), oneK(k) {}
  double value;
  Flags flags;
  OneK oneK;
};

class ConsoleReporter {
 public:
  struct Run {
    std::map<std::string, Counter> counters;
    const MemoryManager::Result* memory_result = nullptr;
    double allocs_per_iter = 0;
  };
  enum OutputOptions { OO_None = 0, OO_Color = 1 };
  explicit ConsoleReporter(OutputOptions) {}
  virtual ~ConsoleReporter() = default;
  virtual void ReportRuns(const std::vector<Run>& runs);
};

}  // namespace benchmark

#endif  // HEAPTALLY_TESTS_NEWER_BENCHMARK_H_
