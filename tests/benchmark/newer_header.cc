// heaptally_benchmark.cc against a header in which Stop has one form, as in
// newer versions: compiles, and that form gives the figures.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

namespace benchmark {
MemoryManager* registered = nullptr;
void RegisterMemoryManager(MemoryManager* manager) { registered = manager; }
void ConsoleReporter::ReportRuns(const std::vector<Run>&) {}
}  // namespace benchmark

int main() {
  benchmark::MemoryManager::Result result;
  benchmark::registered->Start();
  void* volatile block = malloc(100);
  benchmark::registered->Stop(result);
  free(block);
  if (result.num_allocs == 1 && result.net_heap_growth == 112) return 0;
  printf("%lld allocations, growth %lld\n",
         static_cast<long long>(result.num_allocs),
         static_cast<long long>(result.net_heap_growth));
  return 1;
}
