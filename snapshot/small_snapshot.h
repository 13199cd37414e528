// A snapshot of five blocks with known answers, for tests:
//   16: std::vector<...>::push_back (inlined) < Fill(int) < main    2 blocks
//   17: Recurse < Recurse < main                                    1 block
//   18: libx.so+0x234 (no name) < main                              1 block
//   before_recording                                                1 block
#ifndef HEAPTALLY_SNAPSHOT_SMALL_SNAPSHOT_H_
#define HEAPTALLY_SNAPSHOT_SMALL_SNAPSHOT_H_

#include <string>
#include <vector>

#include "snapshot/packer.h"
#include "snapshot/snapshot.h"
#include "snapshot/synthetic.h"

namespace heaptally {

class SmallNamer : public Namer {
 public:
  explicit SmallNamer(std::string recurse) : recurse_(std::move(recurse)) {}

  absl::Status Name(absl::Span<const Module>, absl::Span<const uint64_t> pcs,
                    NameTable& table) override {
    for (const uint64_t pc : pcs) {
      switch (pc) {
        case 0x1010:
          table.AddLocation({{"main", "/src/main.cc", 7, false, "app"}});
          break;
        case 0x1020:
          table.AddLocation(
              {{"void std::vector<int, std::allocator<int> >::push_back(int)",
                "/usr/include/c++/12/bits/stl_vector.h", 1287, true, "app"},
               {"Fill(int)", "/src/fill.cc", 42, false, "app"}});
          break;
        case 0x1030:
          table.AddLocation({{recurse_, "/src/main.cc", 20, false, "app"}});
          break;
        default:
          table.AddLocation({});
      }
    }
    return absl::OkStatus();
  }

 private:
  const std::string recurse_;
};

// `recurse` is the name of the function that calls itself.
inline Snapshot SmallSnapshot(const std::string& recurse = "Recurse") {
  // For the facts about the process.
  Snapshot s = MakeSyntheticSnapshot({.blocks = 0, .tracebacks = 0});
  s.path = "small.heaptally";
  s.modules = {{0x1000, 0x2000, 0x1000, 0, "aa", "/bin/app"},
               {0x5000, 0x6000, 0x5000, 0, "", "/lib/libx.so"}};
  std::vector<uint32_t> parent(16, 0);
  std::vector<uint64_t> pc(16, 0);
  const auto node = [&](uint32_t p, uint64_t address) {
    parent.push_back(p);
    pc.push_back(address);
    return static_cast<uint32_t>(parent.size() - 1);
  };
  const uint32_t main = node(1, 0x1010);
  const uint32_t fill = node(main, 0x1020);
  const uint32_t recursed = node(node(main, 0x1030), 0x1030);
  const uint32_t unnamed = node(main, 0x5234);
  std::vector<uint32_t> leaf(16, 0);
  leaf.insert(leaf.end(), {fill, recursed, unnamed});
  s.nodes.parent = parent;
  s.nodes.pc = pc;
  s.tracebacks.node = leaf;
  s.blocks.address =
      std::vector<uint64_t>{0x10000, 0x10040, 0x20000, 0x30000, 0x40000};
  s.blocks.traceback = std::vector<uint32_t>{16, 16, 17, 18, 1};
  s.blocks.requested = std::vector<uint64_t>{50, 50, 1000, 40, 10};
  s.blocks.usable = std::vector<uint64_t>{64, 64, 1024, 48, 16};
  s.blocks.epoch = std::vector<uint32_t>{1, 2, 2, 3, 1};
  BalanceBooks(s);
  SmallNamer namer(recurse);
  AddNames(s, namer).IgnoreError();
  return s;
}

// The small snapshot, later: the second block of Fill was freed and its address
// used again by Recurse, a block is new, the one before recording is gone.
inline Snapshot LaterSmallSnapshot() {
  Snapshot s = SmallSnapshot();
  s.facts.Set("epoch", 4);
  s.blocks.address =
      std::vector<uint64_t>{0x10000, 0x10040, 0x20000, 0x30000, 0x50000};
  s.blocks.traceback = std::vector<uint32_t>{16, 17, 17, 18, 16};
  s.blocks.requested = std::vector<uint64_t>{50, 60, 1000, 40, 100};
  s.blocks.usable = std::vector<uint64_t>{64, 64, 1024, 48, 112};
  s.blocks.epoch = std::vector<uint32_t>{1, 4, 2, 3, 4};
  BalanceBooks(s);
  return s;
}

// The same, where the walk of traceback 17 ended as `root` says: its two frames
// Recurse are all that is known of its stack.
inline Snapshot SmallSnapshotFromRoot(uint32_t root) {
  Snapshot s = SmallSnapshot();
  std::vector<uint32_t> parent(s.nodes.parent.begin(), s.nodes.parent.end());
  parent[parent[s.tracebacks.node[17]]] = root;
  s.nodes.parent = parent;
  return s;
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SMALL_SNAPSHOT_H_
