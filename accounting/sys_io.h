// Files, time and processes by raw system calls, as sys.h: no errno, no
// thread-local state. Safe in every thread, signal handler and child. Results
// are the kernel's: negative errno on failure.
#ifndef HEAPTALLY_ACCOUNTING_SYS_IO_H_
#define HEAPTALLY_ACCOUNTING_SYS_IO_H_

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "accounting/sys.h"
#include "accounting/text_writer.h"

namespace heaptally::sys {

inline constexpr int kStandardError = 2;

inline int Open(const char* path, int flags, int mode = 0) {
  return static_cast<int>(Call(
      SYS_openat, static_cast<uintptr_t>(AT_FDCWD), Arg(path),
      static_cast<uintptr_t>(flags | O_CLOEXEC), static_cast<uintptr_t>(mode)));
}

inline intptr_t Close(int fd) {
  return Call(SYS_close, static_cast<uintptr_t>(fd));
}

// Closes every descriptor from `first` to `last`.
inline intptr_t CloseRange(unsigned first, unsigned last, unsigned flags = 0) {
  return Call(SYS_close_range, first, last, flags);
}

inline intptr_t Fstat(int fd, struct stat* out) {
  return Call(SYS_fstat, static_cast<uintptr_t>(fd), Arg(out));
}

inline intptr_t Lstat(const char* path, struct stat* out) {
  return Call(SYS_lstat, Arg(path), Arg(out));
}

// Reads until `size` bytes, the end of the file or an error; how many bytes.
inline intptr_t ReadFully(int fd, char* buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    const intptr_t n = Call(SYS_read, static_cast<uintptr_t>(fd),
                            Arg(buffer + done), size - done);
    if (n == -EINTR) continue;
    if (Failed(n)) return n;
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return static_cast<intptr_t>(done);
}

// The beginning of a file, at most `size` bytes; how many, or negative errno.
inline intptr_t ReadFile(const char* path, char* buffer, size_t size) {
  const int fd = Open(path, O_RDONLY);
  if (Failed(fd)) return fd;
  const intptr_t n = ReadFully(fd, buffer, size);
  Close(fd);
  return n;
}

// Writes all of it at `offset`, through interruptions and short writes.
inline intptr_t WriteFullyAt(int fd, const void* data, size_t size,
                             uint64_t offset) {
  const char* p = static_cast<const char*>(data);
  while (size != 0) {
    const intptr_t n =
        Call(SYS_pwrite64, static_cast<uintptr_t>(fd), Arg(p), size, offset);
    if (n == -EINTR) continue;
    if (Failed(n)) return n;
    if (n == 0) return -EIO;
    p += n;
    offset += static_cast<size_t>(n);
    size -= static_cast<size_t>(n);
  }
  return 0;
}

// One sentence of ours for the user of the program, in one write.
inline void Complain(const char* sentence, const char* detail = "") {
  char line[1024];
  TextWriter text(line, sizeof(line) - 1);
  text.Text("heaptally: ").Text(sentence).Text(detail);
  line[text.size()] = '\n';
  Call(SYS_write, kStandardError, Arg(line), text.size() + 1);
}

inline uint64_t ClockNs(int clock) {
  timespec now = {};
  Call(SYS_clock_gettime, static_cast<uintptr_t>(clock), Arg(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<uint64_t>(now.tv_nsec);
}
inline uint64_t MonotonicNs() { return ClockNs(CLOCK_MONOTONIC); }
inline uint64_t UnixNs() { return ClockNs(CLOCK_REALTIME); }

// Every signal, as the kernel's 64-bit set.
inline constexpr uint64_t kAllSignals = ~uint64_t{0};

// Blocks every signal in this thread for as long as it lives.
class SignalsBlocked {
 public:
  SignalsBlocked() { Mask(&kAllSignals, &before_); }
  ~SignalsBlocked() { Mask(&before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  uint64_t before() const { return before_; }

  static void Mask(const uint64_t* set, uint64_t* old) {
    constexpr uintptr_t kSetMask = 2;  // SIG_SETMASK
    Call(SYS_rt_sigprocmask, kSetMask, Arg(set), Arg(old), sizeof(uint64_t));
  }

 private:
  uint64_t before_ = 0;
};

[[noreturn]] inline void ExitProcess(int status) {
  for (;;) Call(SYS_exit_group, static_cast<uintptr_t>(status));
}

}  // namespace heaptally::sys

#endif  // HEAPTALLY_ACCOUNTING_SYS_IO_H_
