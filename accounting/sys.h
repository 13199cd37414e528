// Linux system calls on x86-64, made without the C library: no errno, no
// thread-local state, no cancellation points. Every function is safe in a
// signal handler, in the control thread (which has no thread-local storage of
// its own) and in a snapshot's child. Results are the kernel's: negative errno
// on failure (see Failed).
#ifndef HEAPTALLY_ACCOUNTING_SYS_H_
#define HEAPTALLY_ACCOUNTING_SYS_H_

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace heaptally::sys {

inline intptr_t Call(long number, uintptr_t a = 0, uintptr_t b = 0,
                     uintptr_t c = 0, uintptr_t d = 0, uintptr_t e = 0,
                     uintptr_t f = 0) {
  intptr_t result;
  register uintptr_t r10 asm("r10") = d;
  register uintptr_t r8 asm("r8") = e;
  register uintptr_t r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

inline uintptr_t Arg(const volatile void* p) {
  return reinterpret_cast<uintptr_t>(p);
}

// True for results that are an error: −4095 … −1.
inline bool Failed(intptr_t result) { return result < 0 && result >= -4095; }

inline void* Mmap(size_t bytes, int protection, int flags) {
  return reinterpret_cast<void*>(
      Call(SYS_mmap, 0, bytes, static_cast<uintptr_t>(protection),
           static_cast<uintptr_t>(flags), static_cast<uintptr_t>(-1), 0));
}

inline intptr_t Munmap(void* p, size_t bytes) {
  return Call(SYS_munmap, Arg(p), bytes);
}

inline int GetPid() { return static_cast<int>(Call(SYS_getpid)); }
inline int GetTid() { return static_cast<int>(Call(SYS_gettid)); }

}  // namespace heaptally::sys

#endif  // HEAPTALLY_ACCOUNTING_SYS_H_
