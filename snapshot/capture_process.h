// What the kernel says about a process. System calls only; safe in every
// thread and child.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_PROCESS_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_PROCESS_H_

#include <cstdint>

namespace heaptally {

// Zero when unknown.
struct ProcessNumbers {
  uint64_t parent;
  uint64_t resident_bytes;

  static ProcessNumbers Read(int pid);
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_PROCESS_H_
