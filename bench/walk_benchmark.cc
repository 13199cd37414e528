// What a stack walk costs, by stage and depth; per-frame times are in the
// counters. Run alone on a quiet machine:
//   walk_benchmark --benchmark_counters_tabular=true
// and for instructions: perf stat -e instructions:u.
#include <benchmark/benchmark.h>
#include <unwind.h>

#include <boost/stacktrace/safe_dump_to.hpp>

#include "accounting/stack_walk.h"

namespace heaptally {
namespace {

WalkCache cache;

// The context of this function's caller; valid while the caller runs.
__attribute__((noinline)) CallerContext Context() {
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto* words = reinterpret_cast<const uintptr_t*>(frame);
  return {words[1], frame + 16, words[0]};
}

using Body = void (*)(benchmark::State&);

// Four functions that differ in frame size, in a cycle.
template <int kSize>
__attribute__((noinline)) void Nest(benchmark::State& state, int64_t depth,
                                    Body body) {
  char local[16 * kSize];
  asm volatile("" : : "r"(local) : "memory");
  if (depth <= 1) {
    body(state);
  } else {
    Nest<kSize % 4 + 1>(state, depth - 1, body);
  }
  asm volatile("");
}

void SetCounters(benchmark::State& state, size_t frames) {
  state.counters["frames"] = static_cast<double>(frames);
  state.counters["per_frame"] =
      benchmark::Counter(static_cast<double>(frames),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

void Unchanged(benchmark::State& state) {
  const CallerContext context = Context();
  for (auto _ : state) WalkStack(context, cache, kDefaultDepthLimit);
  SetCounters(state, cache.depth());
}

// The last stack shares no frame: alternates with one that is elsewhere.
void CachedRules(benchmark::State& state) {
  const CallerContext context = Context();
  for (auto _ : state) {
    cache.ForgetStack();
    WalkStack(context, cache, kDefaultDepthLimit);
  }
  SetCounters(state, cache.depth());
}

void FromScratch(benchmark::State& state) {
  const CallerContext context = Context();
  uintptr_t pcs[kDefaultDepthLimit];
  uint32_t depth = 0;
  for (auto _ : state) {
    depth = WalkFromScratch(context, pcs, kDefaultDepthLimit).depth;
  }
  SetCounters(state, depth);
}

void BoostStacktrace(benchmark::State& state) {
  const void* frames[kDefaultDepthLimit];
  size_t depth = 0;
  for (auto _ : state) {
    depth = boost::stacktrace::safe_dump_to(frames, sizeof(frames));
  }
  SetCounters(state, depth);
}

template <Body kBody>
void At(benchmark::State& state) {
  Nest<1>(state, state.range(0), kBody);
}

BENCHMARK(At<Unchanged>)->Arg(5)->Arg(24)->Arg(100);
BENCHMARK(At<CachedRules>)->Arg(5)->Arg(24)->Arg(100);
BENCHMARK(At<FromScratch>)->Arg(24);
BENCHMARK(At<BoostStacktrace>)->Arg(24);

}  // namespace
}  // namespace heaptally

BENCHMARK_MAIN();
