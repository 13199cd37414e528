// The memory manager and the reporter of heaptally_benchmark.h. Compiled with
// the benchmarks that use it, against their Google Benchmark. C++14.
#include <heaptally_benchmark.h>
#include <heaptally_measurement.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace heaptally {
namespace bench {
namespace {

// Versions differ in which form of Stop they have and which is pure: both are
// here, and neither says `override`.
class MemoryManager : public ::benchmark::MemoryManager {
 public:
  void Start() override {
    std::string error;
    measurement_ = gtest::BeginBenchmark(&error);
    if (measurement_ == nullptr) Say(error);
  }

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsuggest-override"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winconsistent-missing-override"
#endif
#endif
  // NOLINTBEGIN(modernize-use-override)
  void Stop(Result* result) { Fill(result); }
  void Stop(Result& result) { Fill(&result); }
  // NOLINTEND(modernize-use-override)
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

 private:
  static void Say(const std::string& text) {
    std::fprintf(stderr, "heaptally: %s\n", text.c_str());
  }

  void Fill(Result* result) {
    if (measurement_ == nullptr) return;
    gtest::BenchmarkTotals totals;
    const std::string error = gtest::EndBenchmark(measurement_, &totals);
    measurement_ = nullptr;
    if (!error.empty()) Say(error);
    result->num_allocs = totals.allocations;
    result->max_bytes_used = totals.peak;
    result->total_allocated_bytes = totals.total;
    result->net_heap_growth = totals.growth;
  }

  gtest::Measurement* measurement_ = nullptr;
};

bool Register() {
  const std::string inactive = gtest::WhyInactive();
  if (!inactive.empty()) {
    std::fprintf(stderr, "heaptally: no memory figures: %s\n",
                 inactive.c_str());
    return false;
  }
  static MemoryManager* const manager = new MemoryManager;
  ::benchmark::RegisterMemoryManager(manager);
  return true;
}

const bool registered = Register();

}  // namespace

ConsoleReporter::ConsoleReporter()
    : ::benchmark::ConsoleReporter(isatty(STDOUT_FILENO) ? OO_Color : OO_None) {
}

void ConsoleReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> shown = runs;
  for (Run& run : shown) {
    if (!registered || run.memory_result == nullptr) continue;
    const ::benchmark::MemoryManager::Result& memory = *run.memory_result;
    using ::benchmark::Counter;
    const auto bytes = [](std::int64_t value) {
      return Counter(static_cast<double>(value), Counter::kDefaults,
                     Counter::kIs1024);
    };
    run.counters["allocs"] = Counter(static_cast<double>(run.allocs_per_iter));
    run.counters["peak"] = bytes(memory.max_bytes_used);
    run.counters["total"] = bytes(memory.total_allocated_bytes);
    run.counters["growth"] = bytes(memory.net_heap_growth);
  }
  ::benchmark::ConsoleReporter::ReportRuns(shown);
}

}  // namespace bench
}  // namespace heaptally
