// The process that writes a snapshot: a fork of the program that runs nothing
// of the program. System calls only.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_CHILD_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_CHILD_H_

#include <cstddef>
#include <cstdint>

#include "snapshot/capture_sections.h"

namespace heaptally {

struct CaptureChild {
  int fd;
  int parent;                // pid
  uintptr_t thread_pointer;  // see CaptureOptions
  bool ask_jemalloc;         // its locks are free: every thread stood still
  CaptureShared* shared;
};

inline constexpr size_t kCaptureStackBytes = 256 << 10;

// The child's main function; `capture` is its CaptureChild. Does not return.
void RunCaptureChild(void* capture);

// Makes a new process deaf to what the program has set up: signal handlers,
// descriptors but `keep_fd`, core dumps; it ends when `parent` does.
void LeaveTheProgram(const char* name, int parent, int keep_fd);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_CHILD_H_
