// Which process this is: an id that no other process has, and when it started.
// Found at the first use and again in a fork's child. System calls only;
// thread-safe; waits while another thread finds it out.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_IDENTITY_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_IDENTITY_H_

#include <cstdint>

namespace heaptally {

struct ProcessIdentity {
  int pid;
  uint64_t started_unix_ns;  // to the kernel's clock tick, 10 ms
  char id[33];               // 32 random hexadecimal digits and a NUL

  static ProcessIdentity Get();
};

// The kernel's numbers for process `pid` (0: this one); zero when unknown.
struct ProcessNumbers {
  uint64_t parent;
  uint64_t threads;
  uint64_t start_ticks;  // since boot
  uint64_t resident_bytes;

  static ProcessNumbers Read(int pid);
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_IDENTITY_H_
