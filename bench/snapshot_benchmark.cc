// What reading, packing and analysing a large made-up snapshot costs: 5 million
// blocks, 200,000 tracebacks. With HEAPTALLY_BENCH_BLOCKS another size.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "snapshot/call_tree.h"
#include "snapshot/census.h"
#include "snapshot/compare.h"
#include "snapshot/packer.h"
#include "snapshot/reader.h"
#include "snapshot/report.h"
#include "snapshot/synthetic.h"
#include "snapshot/writer.h"

namespace heaptally {
namespace {

// The files that the benchmarks read; made once, removed at the end.
class Files {
 public:
  Files() {
    SyntheticOptions options;
    options.blocks = 5000000;
    const char* blocks = getenv("HEAPTALLY_BENCH_BLOCKS");
    if (blocks != nullptr) {
      (void)absl::SimpleAtoi(blocks, &options.blocks);
    }
    options.tracebacks = options.blocks / 25;
    options.depth = 40;
    options.functions = 50000;
    folder_ = "/tmp/heaptally_benchmark.XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) abort();
    snapshot = MakeSyntheticSnapshot(options);
    Write(raw(), {.pack = false});
    SyntheticNamer namer;
    if (!AddNames(snapshot, namer).ok()) abort();
    Write(packed(), {});
    later = MakeSuccessor(snapshot, 7, 0.1, options.blocks / 5);
  }
  ~Files() {
    for (const std::string& path : {raw(), packed(), copy()}) {
      unlink(path.c_str());
    }
    rmdir(folder_.c_str());
  }

  std::string raw() const { return folder_ + "/raw.heaptally"; }
  std::string packed() const { return folder_ + "/packed.heaptally"; }
  std::string copy() const { return folder_ + "/copy.heaptally"; }

  Snapshot snapshot;
  Snapshot later;

 private:
  void Write(const std::string& path, const WriteOptions& options) {
    if (!WriteSnapshot(snapshot, path, options).ok()) abort();
  }

  std::string folder_;
};

Files& TheFiles() {
  static Files files;
  return files;
}

void Open(benchmark::State& state, const std::string& path) {
  for (auto _ : state) {
    const absl::StatusOr<Snapshot> s = ReadSnapshot(path);
    if (!s.ok()) state.SkipWithError(s.status().ToString().c_str());
    benchmark::DoNotOptimize(s);
  }
}

void BM_OpenRaw(benchmark::State& state) { Open(state, TheFiles().raw()); }
BENCHMARK(BM_OpenRaw)->Unit(benchmark::kMillisecond);

void BM_OpenPacked(benchmark::State& state) {
  Open(state, TheFiles().packed());
}
BENCHMARK(BM_OpenPacked)->Unit(benchmark::kMillisecond);

// Reads the raw file, names it with made-up names, compresses and replaces.
void BM_PackFile(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    {
      std::ofstream(TheFiles().copy(), std::ios::binary)
          << std::ifstream(TheFiles().raw(), std::ios::binary).rdbuf();
    }
    state.ResumeTiming();
    SyntheticNamer namer;
    const absl::Status status = PackFile(TheFiles().copy(), namer);
    if (!status.ok()) state.SkipWithError(status.ToString().c_str());
  }
}
BENCHMARK(BM_PackFile)->Unit(benchmark::kMillisecond);

void BM_Report(benchmark::State& state) {
  ReportOptions options;
  options.by = static_cast<GroupBy>(state.range(0));
  options.top = kDefaultTextTop;
  for (auto _ : state) {
    std::ostringstream out;
    if (!RenderReport(TheFiles().snapshot, options, out).ok()) abort();
    benchmark::DoNotOptimize(out);
  }
  state.SetLabel(absl::StrCat("by ", std::string(GroupByName(options.by))));
}
BENCHMARK(BM_Report)
    ->DenseRange(0, kGroupings - 1)
    ->Unit(benchmark::kMillisecond);

void BM_CompareByEpoch(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        Compare(TheFiles().snapshot, TheFiles().later, {}));
  }
}
BENCHMARK(BM_CompareByEpoch)->Unit(benchmark::kMillisecond);

void BM_CompareBySymbols(benchmark::State& state) {
  Snapshot other = TheFiles().later;
  other.facts.Set("process_id", "another");
  for (auto _ : state) {
    benchmark::DoNotOptimize(Compare(TheFiles().snapshot, other, {}));
  }
}
BENCHMARK(BM_CompareBySymbols)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heaptally

BENCHMARK_MAIN();
