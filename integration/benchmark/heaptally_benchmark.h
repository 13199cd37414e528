// Memory figures in Google Benchmark's reports. C++14, Google Benchmark 1.6 or
// newer.
//
// Linking heaptally::benchmark registers a memory manager: the JSON report then
// has, for each benchmark, allocs_per_iter, max_bytes_used, and where the
// version knows them total_allocated_bytes and net_heap_growth. They are of the
// extra run that Google Benchmark makes for it, are exact, and leave out what
// Google Benchmark allocates itself, by its stacks: these are recorded in the
// extra run alone, so that times do not change. Bytes are usable bytes. What
// all threads do is counted; if more than one did anything, the peak may be off
// by 64 KiB a thread.
//
// For the console: HEAPTALLY_BENCHMARK_MAIN() instead of BENCHMARK_MAIN(), or
// heaptally::bench::ConsoleReporter as the display reporter.
#ifndef HEAPTALLY_BENCHMARK_H_
#define HEAPTALLY_BENCHMARK_H_

#include <benchmark/benchmark.h>

#include <vector>

namespace heaptally {
namespace bench {

// Shows the figures as counters: allocs, peak, total and growth; the first is
// per iteration, the others are of the extra run.
class ConsoleReporter : public ::benchmark::ConsoleReporter {
 public:
  ConsoleReporter();  // in colours if standard output is a terminal
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace bench
}  // namespace heaptally

#define HEAPTALLY_BENCHMARK_MAIN()                                      \
  int main(int argc, char** argv) {                                     \
    ::benchmark::Initialize(&argc, argv);                               \
    if (::benchmark::ReportUnrecognizedArguments(argc, argv)) return 1; \
    ::heaptally::bench::ConsoleReporter reporter;                       \
    ::benchmark::RunSpecifiedBenchmarks(&reporter);                     \
    ::benchmark::Shutdown();                                            \
    return 0;                                                           \
  }                                                                     \
  int main(int, char**)

#endif  // HEAPTALLY_BENCHMARK_H_
