// Writes snapshot files with known contents for the tests of the command line:
//
//   cli_make_files FOLDER
//
// before and after are two moments of one process; other is another process.
// Each has the same three call stacks; sizes are chosen so that every sum below
// differs from the others.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "snapshot/checksum.h"
#include "snapshot/name_table.h"
#include "snapshot/snapshot.h"
#include "snapshot/writer.h"

namespace heaptally {
namespace {

constexpr uint32_t kFirst = format::kFirstId;

struct Block {
  uint32_t traceback;
  uint64_t requested;
  uint64_t usable;
  uint32_t epoch;
};

void SetMeasure(KeyValues& facts, const std::string& prefix, Measure m) {
  facts.Set(prefix + ".blocks", m.blocks);
  facts.Set(prefix + ".requested", m.requested);
  facts.Set(prefix + ".usable", m.usable);
}

// main -> Load -> (inlined Grow), main -> Cache::Add, main -> <no name>
Names MakeNames() {
  NameTable table;
  const FrameName main = {"main", "/src/game/main.cc", 20, false, "game"};
  const FrameName load = {"Load(char const*)", "/src/game/load.cc", 31, false,
                          "game"};
  const FrameName grow = {"Grow", "/src/game/grow.h", 7, true, "game"};
  const FrameName add = {"Cache::Add(int)", "/src/lib/cache.cc", 44, false,
                         "libcache.so"};
  table.AddLocation({});  // Of the roots.
  std::vector<uint32_t> location(kFirst, 0);
  location.push_back(table.AddLocation({main}));
  location.push_back(table.AddLocation({grow, load}));
  location.push_back(table.AddLocation({add}));
  location.push_back(table.AddLocation({}));
  Names names = Names::FromTable(std::move(table));
  names.node_location = std::move(location);
  return names;
}

void SetTree(Snapshot& snapshot) {
  std::vector<uint32_t> parent(kFirst, 0);
  std::vector<uint64_t> pc(kFirst, 0);
  const auto add = [&](uint32_t above, uint64_t at) {
    parent.push_back(above);
    pc.push_back(at);
  };
  add(1, 0x1010);
  add(kFirst, 0x1020);
  add(kFirst, 0x9030);
  add(kFirst, 0x1040);
  snapshot.nodes = {std::move(parent), std::move(pc)};
  snapshot.modules = {{0x1000, 0x2000, 0, 0, "ab01", "/usr/bin/game"},
                      {0x9000, 0xa000, 0x9000, 0, "cd02", "/lib/libcache.so"}};
  snapshot.names = MakeNames();
}

MeasureColumns Columns(const std::vector<Measure>& rows) {
  std::vector<uint64_t> blocks, requested, usable;
  for (const Measure& row : rows) {
    blocks.push_back(row.blocks);
    requested.push_back(row.requested);
    usable.push_back(row.usable);
  }
  return {std::move(blocks), std::move(requested), std::move(usable)};
}

void SetBlocks(Snapshot& snapshot, const std::vector<Block>& blocks) {
  std::vector<Measure> sums(kFirst + 3);
  std::vector<uint64_t> address, requested, usable;
  std::vector<uint32_t> traceback, epoch;
  Measure total;
  for (const Block& block : blocks) {
    const Measure one = {1, block.requested, block.usable};
    sums[block.traceback] += one;
    total += one;
    address.push_back(0x10000 + 0x10000 * address.size());
    traceback.push_back(block.traceback);
    requested.push_back(block.requested);
    usable.push_back(block.usable);
    epoch.push_back(block.epoch);
  }
  std::vector<uint32_t> node(kFirst, 0);
  node.insert(node.end(), {kFirst + 1, kFirst + 2, kFirst + 3});
  const MeasureColumns columns = Columns(sums);
  snapshot.tracebacks = {std::move(node), columns, columns, columns, columns};
  snapshot.blocks = {std::move(address), std::move(traceback),
                     std::move(requested), std::move(usable), std::move(epoch)};
  for (const char* prefix :
       {"current", "peak", "ever", "side_headers", "tracebacks"}) {
    SetMeasure(snapshot.facts, prefix, total);
  }
}

Snapshot Make(const std::string& process_id, uint64_t taken_s, uint32_t epoch,
              const std::vector<Block>& blocks) {
  constexpr uint64_t kStart = 1769900000;
  constexpr uint64_t kSecond = 1000000000;
  Snapshot snapshot;
  KeyValues& facts = snapshot.facts;
  facts.Set("pid", 71);
  facts.Set("command", "game");
  facts.Set("process_id", process_id);
  facts.Set("started_ns", kStart * kSecond);
  facts.Set("taken_ns", (kStart + taken_s) * kSecond);
  facts.Set("mode", "all");
  facts.Set("epoch", epoch);
  facts.Set("peak_bound", uint64_t{0});
  facts.Set("jemalloc.allocated", 9000);
  facts.Set("foreign_frees", 3);
  snapshot.capture.Set("pause_ns", 1500000);
  snapshot.capture.Set("duration_ns", 4000000);
  snapshot.capture.Set("bytes", 2048);
  snapshot.capture.Set("method", "fork");
  snapshot.capture.Set("quiesced", 1);
  snapshot.recording = std::vector<format::RecordingEntry>{
      {1, format::kAll, 0, kStart * kSecond}};
  SetTree(snapshot);
  SetBlocks(snapshot, blocks);
  return snapshot;
}

int Write(const std::string& path, const Snapshot& snapshot,
          const WriteOptions& options = {}) {
  const absl::Status status = WriteSnapshot(snapshot, path, options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

// A file of the next major version, sound in all else.
int WriteNewer(const std::string& path, const Snapshot& snapshot) {
  absl::StatusOr<std::string> bytes = EncodeSnapshot(snapshot);
  if (!bytes.ok()) return 1;
  format::Header header;
  memcpy(&header, bytes->data(), sizeof(header));
  header.major = format::kMajor + 1;
  header.header_checksum =
      Checksum(&header, offsetof(format::Header, header_checksum));
  memcpy(bytes->data(), &header, sizeof(header));
  return (std::ofstream(path, std::ios::binary) << *bytes) ? 0 : 1;
}

int WriteAll(const std::string& folder) {
  const std::string one(32, '1');
  const std::string two(32, '2');
  const std::vector<Block> before = {{kFirst, 100, 112, 1},
                                     {kFirst, 100, 112, 1},
                                     {kFirst + 1, 1000, 1024, 1},
                                     {1, 10, 16, 1}};
  const std::vector<Block> after = {{kFirst, 100, 112, 1},
                                    {kFirst + 1, 3000, 3072, 2},
                                    {kFirst + 1, 1000, 1024, 1},
                                    {1, 10, 16, 1},
                                    {kFirst + 2, 50, 64, 2}};
  Snapshot unnamed = Make(one, 10, 1, before);
  unnamed.names = {};
  return Write(folder + "/before.heaptally", Make(one, 10, 1, before)) |
         Write(folder + "/after.heaptally", Make(one, 20, 2, after)) |
         Write(folder + "/other.heaptally", Make(two, 20, 1, after)) |
         WriteNewer(folder + "/newer.heaptally", Make(one, 10, 1, before)) |
         Write(folder + "/unnamed.heaptally", unnamed, {.pack = false});
}

}  // namespace
}  // namespace heaptally

int main(int argc, char** argv) {
  return argc == 2 ? heaptally::WriteAll(argv[1]) : 2;
}
