// Benchmarks of known memory use, for figures_test.py.
#include <heaptally_benchmark.h>
#include <stdlib.h>

namespace {

void Allocate(void** to, size_t size) {
  *to = malloc(size);
  asm volatile("" : : "r"(*to) : "memory");
}

void Nothing(benchmark::State& state) {
  for (auto _ : state) benchmark::ClobberMemory();
}
BENCHMARK(Nothing);

void ThreeBlocks(benchmark::State& state) {
  for (auto _ : state) {
    void* blocks[3];
    for (void*& block : blocks) Allocate(&block, 1000);
    for (void* block : blocks) free(block);
  }
}
BENCHMARK(ThreeBlocks);

void WithCounters(benchmark::State& state) {
  for (auto _ : state) {
    void* block;
    Allocate(&block, 2000);
    free(block);
  }
  state.SetLabel("a label that is too long for its place in a string");
}
BENCHMARK(WithCounters)->Threads(1)->Threads(2);

void* kept[100000];
int count = 0;

void Keeps(benchmark::State& state) {
  for (auto _ : state) Allocate(&kept[count++], 100);
}
BENCHMARK(Keeps)->Iterations(50);

}  // namespace

HEAPTALLY_BENCHMARK_MAIN();
