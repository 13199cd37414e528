// Writes the sections of a snapshot from the frozen books: in the snapshot's
// child, or in the program with its threads stopped. System calls only; its
// working memory comes from OwnMemory.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_SECTIONS_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_SECTIONS_H_

#include <cstddef>
#include <cstdint>

#include "snapshot/capture_facts.h"
#include "snapshot/capture_sink.h"

namespace heaptally {

// What the capture is asked for; texts need no NUL and are copied.
struct CaptureOptions {
  const char* label = "";
  size_t label_size = 0;
  // Under which jemalloc may be asked for its statistics, if the calling thread
  // has no thread-local storage of its own; 0: it has.
  uintptr_t thread_pointer = 0;
};

// What the writer is told, and what it leaves for the parent to finish the
// file with. Lives in memory that both share.
struct CaptureShared {
  static constexpr size_t kMaxLabel = 4096;

  // In
  FactsMoment moment;
  size_t label_size;
  char label[kMaxLabel];

  // Out
  CaptureProgress progress;
  std::atomic<bool> written;  // all below is valid
  std::atomic<int> error;     // errno of the writer, if it failed
  uint64_t tail_offset;       // where kTailBytes are reserved for the parent
  CaptureTable table;
  size_t facts_size;
  char facts[kMaxFactsBytes];

  // Out, after `written`: jemalloc's own statistics.
  std::atomic<bool> has_jemalloc;
  uint64_t jemalloc_allocated;
  uint64_t jemalloc_active;
  uint64_t jemalloc_resident;
  uint64_t jemalloc_mapped;
};

// The parent adds what jemalloc says to the facts.
inline constexpr size_t kJemallocFactsBytes = 256;

// Room for facts, capture and section table, which come last.
inline constexpr uint64_t kTailBytes =
    kMaxFactsBytes + 2048 +
    CaptureTable::kMaxSections * sizeof(format::SectionEntry);

// Writes everything but the header, the parent's sections and the table.
// Gives back an errno; sets `written` when it is 0.
int WriteSections(int fd, CaptureShared* shared);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_SECTIONS_H_
