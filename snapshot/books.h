// Whether the books of a snapshot balance: the sums over side headers, the
// counters of tracebacks, the counters of the process and the columns of the
// file must agree in blocks, requested and usable bytes. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_BOOKS_H_
#define HEAPTALLY_SNAPSHOT_BOOKS_H_

#include <cstdint>
#include <string>

#include "snapshot/measure.h"
#include "snapshot/snapshot.h"

namespace heaptally {

struct Books {
  Measure side_headers;             // As the walk of the capture summed them.
  Measure tracebacks;               // As the capture summed the counters.
  Measure process;                  // The counters of the process.
  Measure block_columns;            // Summed here.
  Measure traceback_columns;        // Summed here.
  uint64_t jemalloc_allocated = 0;  // 0: unknown.
  // What the runtime's own checker found wrong in page map, side headers,
  // caches and each traceback's sum.
  uint64_t faults = 0;
  std::string first_fault;

  bool balanced() const {
    return faults == 0 && side_headers == process && tracebacks == process &&
           block_columns == process && traceback_columns == process;
  }
};

Books EvaluateBooks(const Snapshot& snapshot);
Measure SumOf(const MeasureColumns& columns);
Measure SumOf(const Blocks& blocks);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_BOOKS_H_
