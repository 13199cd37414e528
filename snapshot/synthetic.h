// Snapshots made up from a seed, whose books balance: for tests, the corpus of
// the fuzzer and benchmarks. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_SYNTHETIC_H_
#define HEAPTALLY_SNAPSHOT_SYNTHETIC_H_

#include <cstdint>

#include "snapshot/name_table.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct SyntheticOptions {
  uint64_t seed = 1;
  size_t blocks = 100;
  size_t tracebacks = 10;  // With a stack.
  uint32_t depth = 8;      // Of the deepest traceback, at most.
  uint32_t functions = 50;
  uint32_t epoch = 3;
  bool reasons = true;  // Some blocks without a stack.
};

// Without names.
Snapshot MakeSyntheticSnapshot(const SyntheticOptions& options);

// A later snapshot of the same process: about `freed_share` of the blocks are
// freed, `added` are new, some of them at addresses that were used before.
Snapshot MakeSuccessor(const Snapshot& before, uint64_t seed,
                       double freed_share, size_t added);

// Recomputes the counters of tracebacks and the facts from the blocks, so that
// the books balance.
void BalanceBooks(Snapshot& snapshot);

// Gives every address the frame "function_N" of "source_M.cc", every third one
// an inlined frame before it, every seventh none.
class SyntheticNamer : public Namer {
 public:
  absl::Status Name(absl::Span<const Module> modules,
                    absl::Span<const uint64_t> pcs, NameTable& table) override;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SYNTHETIC_H_
