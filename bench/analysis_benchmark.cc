// What the Memory tool's page waits for on a large made-up snapshot: 5 million
// blocks, 200,000 tracebacks (HEAPTALLY_BENCH_BLOCKS: another size). Each step
// once, as a person does it, with its time and the peak of resident memory:
//   analysis_benchmark [--csv]
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "snapshot/analysis.h"
#include "snapshot/columns.h"
#include "snapshot/packer.h"
#include "snapshot/reader.h"
#include "snapshot/row_table.h"
#include "snapshot/synthetic.h"
#include "snapshot/view_json.h"
#include "snapshot/writer.h"

namespace heaptally {
namespace {

constexpr double kMiB = 1024 * 1024;

[[noreturn]] void Fail(const absl::Status& status) {
  fprintf(stderr, "analysis_benchmark: %s\n", status.ToString().c_str());
  exit(2);
}

void Check(const absl::Status& status) {
  if (!status.ok()) Fail(status);
}

template <typename T>
T Take(absl::StatusOr<T> value) {
  if (!value.ok()) Fail(value.status());
  return *std::move(value);
}

double ResidentMiB() {
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0;
  uint64_t resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident) *
         static_cast<double>(sysconf(_SC_PAGESIZE)) / kMiB;
}

// Of all threads: what is left when other programs take turns.
double ProcessorMs() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 +
           static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

double PeakMiB() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

class Bench {
 public:
  explicit Bench(bool csv) : csv_(csv) {
    if (csv_) {
      puts("step,ms,limit_ms,processor_ms,resident_mib,peak_mib");
    } else {
      puts(
          "| step | ms | limit | processor ms | resident MiB | peak MiB |\n"
          "|---|---|---|---|---|---|");
    }
  }

  void Step(const std::string& name, int limit,
            const std::function<void()>& work) const {
    const double processor = ProcessorMs();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    const std::string bound = limit == 0 ? "" : absl::StrCat(limit);
    printf(csv_ ? "\"%s\",%.0f,%s,%.0f,%.0f,%.0f\n"
                : "| %s | %.0f | %s | %.0f | %.0f | %.0f |\n",
           name.c_str(), taken.count(), bound.c_str(),
           ProcessorMs() - processor, ResidentMiB(), PeakMiB());
    fflush(stdout);
  }

 private:
  const bool csv_;
};

// The files that are measured; made by a child, so that its memory does not
// count.
class Files {
 public:
  Files() {
    if (mkdtemp(folder_.data()) == nullptr) abort();
    const std::string command =
        absl::StrCat("/proc/", getpid(), "/exe --make ", folder_);
    if (system(command.c_str()) != 0) exit(2);
  }
  ~Files() {
    for (const char* name : {"/before", "/after", "/other"}) {
      unlink((folder_ + name).c_str());
    }
    rmdir(folder_.c_str());
  }
  std::string Path(const std::string& name) const {
    return absl::StrCat(folder_, "/", name);
  }

 private:
  std::string folder_ = "/tmp/heaptally_benchmark.XXXXXX";
};

int Make(const std::string& folder) {
  SyntheticOptions options;
  options.blocks = 5000000;
  const char* blocks = getenv("HEAPTALLY_BENCH_BLOCKS");
  if (blocks != nullptr) (void)absl::SimpleAtoi(blocks, &options.blocks);
  options.tracebacks = options.blocks / 25;
  options.depth = 40;
  options.functions = 50000;
  Snapshot before = MakeSyntheticSnapshot(options);
  SyntheticNamer namer;
  Check(AddNames(before, namer));
  Check(WriteSnapshot(before, folder + "/before", {}));
  Snapshot after = MakeSuccessor(before, 7, 0.1, options.blocks / 5);
  Check(WriteSnapshot(after, folder + "/after", {}));
  after.facts.Set("process_id", "another");
  Check(WriteSnapshot(after, folder + "/other", {}));
  return 0;
}

double UnpackedMiB(const Snapshot& s) {
  uint64_t bytes = 0;
  const auto add = [&](format::Kind, const auto& column) {
    bytes += column.size() * sizeof(*column.data());
  };
  VisitColumns(s, add);
  VisitNameColumns(s.names, add);
  return static_cast<double>(bytes) / kMiB;
}

std::shared_ptr<const Snapshot> Read(const std::string& path) {
  return std::make_shared<const Snapshot>(Take(ReadSnapshot(path)));
}

void Show(RowTable& table) {
  std::ostringstream out;
  Check(RowsJson(table, {}, out));
}

// Each query is a table of its own, as in the tool.
void MeasureQueries(const Bench& bench, const std::string& title,
                    const std::shared_ptr<const Analysis>& analysis) {
  const std::pair<const char*, Query> queries[] = {
      {"by stack", {}},
      {"inverted", {.inverted = true}},
      {"by function", {.by = GroupBy::kFunction}},
      {"by file", {.by = GroupBy::kFile}},
      {"by line", {.by = GroupBy::kLine}},
      {"by module", {.by = GroupBy::kModule}},
      {"by size class", {.by = GroupBy::kSizeClass}},
      {"text filter", {.filter = "TION_123"}},
      {"expression filter",
       {.filter = "tion_12+3?", .syntax = FilterSyntax::kRegex}},
  };
  for (const auto& [name, query] : queries) {
    bench.Step(absl::StrCat(title, ", ", name), 300,
               [&] { Show(*Take(RowTable::Build(analysis, query))); });
  }
  const std::shared_ptr<RowTable> table = Take(RowTable::Build(analysis, {}));
  bench.Step(title + ", tree for a drawing", 300, [&] {
    std::ostringstream out;
    Check(TreeJson(*table, {}, out));
  });
  bench.Step(title + ", a page of all single blocks", 300, [&] {
    std::ostringstream out;
    Check(IndividualsJson(*table, {.offset = 1000000}, out));
  });
  bench.Step(title + ", the largest of all single blocks", 300, [&] {
    std::ostringstream out;
    Check(IndividualsJson(
        *table, {.sort = BlockSort::kUsable, .descending = true}, out));
  });
  bench.Step(title + ", summary", 300, [&] {
    std::ostringstream out;
    SummaryJson(*analysis, {}, out).IgnoreError();
  });
}

int Run(bool csv) {
  const Files files;
  const Bench bench(csv);
  double unpacked = 0;
  {
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<const Snapshot> snapshot;
    bench.Step("open: read", 0, [&] { snapshot = Read(files.Path("before")); });
    unpacked = UnpackedMiB(*snapshot);
    bench.Step("open: prepare", 0, [&] {
      analysis = Take(Analysis::OfSnapshot(snapshot, nullptr));
    });
    bench.Step("open: first rows", 0,
               [&] { Show(*Take(RowTable::Build(analysis, {}))); });
    MeasureQueries(bench, "snapshot", analysis);
  }
  for (const std::string other : {"after", "other"}) {
    std::shared_ptr<const Analysis> analysis;
    bench.Step(absl::StrCat("comparison with ", other, ": read both"), 0, [&] {
      (void)Read(files.Path("before")), Read(files.Path(other));
    });
    const std::shared_ptr<const Snapshot> before = Read(files.Path("before"));
    const std::shared_ptr<const Snapshot> after = Read(files.Path(other));
    bench.Step(absl::StrCat("comparison with ", other, ": prepare"), 4000, [&] {
      analysis = Take(Analysis::OfPair(before, after, nullptr));
    });
    MeasureQueries(bench, absl::StrCat("comparison with ", other), analysis);
  }
  printf(csv ? "unpacked MiB,%.0f,,,,\n" : "\nUnpacked: %.0f MiB.\n", unpacked);
  return 0;
}

}  // namespace
}  // namespace heaptally

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--make") {
    return heaptally::Make(argv[2]);
  }
  return heaptally::Run(argc == 2 && std::string(argv[1]) == "--csv");
}
