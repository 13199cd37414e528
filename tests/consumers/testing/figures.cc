#include <benchmark/benchmark.h>

#include <cstdlib>

static void TwoBlocks(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < 2; ++i) {
      void* block = std::malloc(500);
      benchmark::DoNotOptimize(block);
      std::free(block);
    }
  }
}
BENCHMARK(TwoBlocks);
