// What it costs to record stacks, as measured in the program itself: the time
// of about every 64th. Thread-safe, signal-safe, no locks.
#ifndef HEAPTALLY_ACCOUNTING_RECORDING_COST_H_
#define HEAPTALLY_ACCOUNTING_RECORDING_COST_H_

#include <cstdint>

namespace heaptally {

class RecordingCost {
 public:
  // Notes the time, from which the processor's ticks are scaled. Once, at
  // start.
  static void Init();

  // One stack took so long, walk and traceback together.
  static void Add(uint64_t ticks);

  struct Measured {
    uint64_t stacks;
    uint64_t ns;  // of all of them together
  };
  static Measured Read();
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_RECORDING_COST_H_
