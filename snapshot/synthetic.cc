#include "snapshot/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "snapshot/books.h"

namespace heaptally {
namespace {

using Random = std::mt19937_64;

constexpr uint64_t kText = 0x555555554000;  // Where the program is loaded.
constexpr uint64_t kHeap = 0x7f0000000000;
constexpr std::array<uint64_t, 12> kClasses = {
    16, 32, 48, 64, 96, 128, 256, 512, 1024, 4096, 16384, 65536};

uint64_t Below(Random& random, uint64_t limit) { return random() % limit; }

// Mostly small, as real heaps are.
uint64_t RandomClass(Random& random) {
  const uint64_t a = Below(random, kClasses.size());
  return kClasses[std::min(a, Below(random, kClasses.size()))];
}

void MakeTracebacks(const SyntheticOptions& options, Random& random,
                    Snapshot& s) {
  std::vector<uint32_t> parent(format::kFirstId, 0);
  std::vector<uint64_t> pc(format::kFirstId, 0);
  std::vector<uint32_t> leaf(format::kFirstId, 0);
  std::vector<uint32_t> depth(format::kFirstId, 0);
  for (size_t i = 0; i < options.tracebacks; ++i) {
    // Branches off a node that is there, or from the root.
    uint32_t node = 1;
    if (parent.size() > format::kFirstId && Below(random, 8) != 0) {
      node = static_cast<uint32_t>(
          format::kFirstId + Below(random, parent.size() - format::kFirstId));
    }
    const uint64_t more = 1 + Below(random, std::max(1u, options.depth / 2));
    for (uint64_t j = 0; j < more && depth[node] < options.depth; ++j) {
      const uint32_t child = static_cast<uint32_t>(parent.size());
      depth.push_back(depth[node] + 1);
      parent.push_back(node);
      pc.push_back(kText + 0x1000 + 16 * Below(random, options.functions));
      node = child;
    }
    leaf.push_back(node >= format::kFirstId ? node : 0);
  }
  s.nodes.parent = std::move(parent);
  s.nodes.pc = std::move(pc);
  s.tracebacks.node = std::move(leaf);
}

// The blocks of one snapshot as rows, before they become columns.
struct Row {
  uint64_t address;
  uint32_t traceback;
  uint64_t requested;
  uint64_t usable;
  uint32_t epoch;
};

void SetBlocks(const std::vector<Row>& rows, Snapshot& s) {
  std::vector<uint64_t> address, requested, usable;
  std::vector<uint32_t> traceback, epoch;
  address.reserve(rows.size());
  requested.reserve(rows.size());
  usable.reserve(rows.size());
  traceback.reserve(rows.size());
  epoch.reserve(rows.size());
  for (const Row& row : rows) {
    address.push_back(row.address);
    traceback.push_back(row.traceback);
    requested.push_back(row.requested);
    usable.push_back(row.usable);
    epoch.push_back(row.epoch);
  }
  s.blocks.address = std::move(address);
  s.blocks.traceback = std::move(traceback);
  s.blocks.requested = std::move(requested);
  s.blocks.usable = std::move(usable);
  s.blocks.epoch = std::move(epoch);
}

uint32_t RandomTraceback(Random& random, size_t tracebacks, bool reasons) {
  const size_t real = tracebacks - format::kFirstId;
  if (real == 0 || (reasons && Below(random, 16) == 0)) {
    return static_cast<uint32_t>(1 + Below(random, format::kReasonEnd - 1));
  }
  // Few tracebacks own most blocks.
  const uint64_t a = Below(random, real);
  return static_cast<uint32_t>(format::kFirstId +
                               std::min(a, Below(random, real)));
}

Row RandomRow(Random& random, uint64_t address, const Snapshot& s, bool reasons,
              uint32_t oldest, uint32_t newest) {
  const uint64_t usable = RandomClass(random);
  return {address, RandomTraceback(random, s.tracebacks.size(), reasons),
          usable - Below(random, std::min<uint64_t>(usable, 16)), usable,
          static_cast<uint32_t>(oldest + Below(random, newest - oldest + 1))};
}

void SetMeasures(const std::vector<Measure>& rows, MeasureColumns& columns) {
  std::vector<uint64_t> blocks, requested, usable;
  for (const Measure& row : rows) {
    blocks.push_back(row.blocks);
    requested.push_back(row.requested);
    usable.push_back(row.usable);
  }
  columns.blocks = std::move(blocks);
  columns.requested = std::move(requested);
  columns.usable = std::move(usable);
}

void SetFacts(KeyValues& facts, absl::string_view prefix, const Measure& m) {
  facts.Set(absl::StrCat(prefix, ".blocks"), m.blocks);
  facts.Set(absl::StrCat(prefix, ".requested"), m.requested);
  facts.Set(absl::StrCat(prefix, ".usable"), m.usable);
}

void SetProcess(const SyntheticOptions& options, Snapshot& s) {
  s.facts.Set("pid", 4242);
  s.facts.Set("command", "./monsters --many");
  s.facts.Set("exe", "/usr/bin/monsters");
  s.facts.Set("host", "castle");
  s.facts.Set("started_ns", 1700000000000000000);
  s.facts.Set("taken_ns", 1700000012500000000);
  s.facts.Set("process_id", "00112233445566778899aabbccddeeff");
  s.facts.Set("mode", "all");
  s.facts.Set("epoch", options.epoch);
  s.facts.Set("threads", 1);
  s.capture.Set("pause_ns", 1250000);
  s.capture.Set("duration_ns", 98000000);
  s.capture.Set("method", "fork");
  s.capture.Set("quiesced", 1);
  s.notes.Set("label", "after the feast");
  s.modules = {{kText, kText + 0x100000, kText, 0, "0123456789abcdef",
                "/usr/bin/monsters"}};
  s.recording = std::vector<format::RecordingEntry>{
      {1, format::kAll, 0, 1700000000000000000}};
}

}  // namespace

void BalanceBooks(Snapshot& s) {
  std::vector<Measure> current(s.tracebacks.size());
  for (size_t i = 0; i < s.blocks.size(); ++i) {
    current[s.blocks.traceback[i]] += s.blocks[i];
  }
  std::vector<Measure> peak = current;
  std::vector<Measure> ever = current;
  Measure process_peak, process_ever;
  for (size_t i = 1; i < ever.size(); ++i) {
    // Peaks and totals that could have been.
    if (peak[i].blocks != 0 && i % 3 == 0) peak[i] += {1, 10, 16};
    ever[i] += peak[i];
    process_peak += peak[i];
    process_ever += ever[i];
  }
  SetMeasures(current, s.tracebacks.current);
  SetMeasures(peak, s.tracebacks.at_peak);
  SetMeasures(peak, s.tracebacks.own_peak);
  SetMeasures(ever, s.tracebacks.ever);
  const Measure total = SumOf(s.blocks);
  SetFacts(s.facts, "current", total);
  SetFacts(s.facts, "side_headers", total);
  SetFacts(s.facts, "tracebacks", total);
  SetFacts(s.facts, "peak", process_peak);
  SetFacts(s.facts, "ever", process_ever);
  s.facts.Set("jemalloc.allocated", total.usable);
  s.facts.Set("tracebacks_count", s.tracebacks.size() - format::kFirstId);
  s.facts.Set("nodes_count", s.nodes.size() - format::kFirstId);
}

Snapshot MakeSyntheticSnapshot(const SyntheticOptions& options) {
  Random random(options.seed);
  Snapshot s;
  SetProcess(options, s);
  MakeTracebacks(options, random, s);
  std::vector<Row> rows;
  rows.reserve(options.blocks);
  uint64_t address = kHeap;
  for (size_t i = 0; i < options.blocks; ++i) {
    address += 16 * Below(random, 4);
    rows.push_back(
        RandomRow(random, address, s, options.reasons, 1, options.epoch));
    address += rows.back().usable;
  }
  SetBlocks(rows, s);
  BalanceBooks(s);
  return s;
}

Snapshot MakeSuccessor(const Snapshot& before, uint64_t seed,
                       double freed_share, size_t added) {
  Random random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  Snapshot s = before;
  const uint32_t epoch = before.epoch() + 1;
  const Blocks& old = before.blocks;
  std::vector<Row> rows;
  uint64_t end = kHeap;
  for (size_t i = 0; i < old.size(); ++i) {
    Row row = {old.address[i], old.traceback[i], old.requested[i],
               old.usable[i], old.epoch[i]};
    end = row.address + row.usable;
    if (share(random) >= freed_share) {
      rows.push_back(row);
    } else if (added > 0 && Below(random, 2) == 0) {
      // The address is used again for a younger block of the same class.
      row.epoch = epoch;
      row.traceback = RandomTraceback(random, s.tracebacks.size(), true);
      rows.push_back(row);
      --added;
    }
  }
  for (; added > 0; --added) {
    end += 16 * Below(random, 4);
    rows.push_back(RandomRow(random, end, s, true, epoch, epoch));
    end += rows.back().usable;
  }
  SetBlocks(rows, s);
  s.facts.Set("epoch", epoch);
  s.facts.Set("taken_ns", before.facts.Number("taken_ns") + 60000000000);
  s.notes.Set("label", "later");
  BalanceBooks(s);
  return s;
}

absl::Status SyntheticNamer::Name(absl::Span<const Module> modules,
                                  absl::Span<const uint64_t> pcs,
                                  NameTable& table) {
  const absl::string_view module =
      modules.empty() ? "" : Basename(modules.front().path);
  for (size_t i = 0; i < pcs.size(); ++i) {
    if (i % 7 == 6) {
      table.AddLocation({});
      continue;
    }
    const std::string function = absl::StrCat("function_", i, "(int)");
    const std::string file = absl::StrCat("/src/source_", i % 5, ".cc");
    const auto line = static_cast<uint32_t>(10 + i);
    std::vector<FrameName> frames;
    if (i % 3 == 2) {
      frames.push_back({"std::vector<int>::push_back(int)",
                        "/usr/include/c++/12/bits/stl_vector.h", 1280, true,
                        module});
    }
    frames.push_back({function, file, line, false, module});
    table.AddLocation(frames);
  }
  for (const Module& m : modules) {
    table.AddMissing({m.path, m.build_id,
                      "no line numbers for some functions; install "
                      "monsters-dbgsym"});
  }
  return absl::OkStatus();
}

}  // namespace heaptally
