// New tasks by the clone system call itself (x86-64): threads that the C
// library does not know, and children that the program never hears of. The
// new task runs on a stack of its own and must not return.
#ifndef HEAPTALLY_ACCOUNTING_RAW_CLONE_H_
#define HEAPTALLY_ACCOUNTING_RAW_CLONE_H_

#include <asm/prctl.h>

#include "accounting/sys.h"

namespace heaptally::sys {

// `stack_top` is aligned to 16 bytes. `thread_pointer` counts only with
// CLONE_SETTLS. Gives back the new id, or negative errno, in the caller.
[[gnu::noinline]] inline intptr_t CloneOnStack(uintptr_t flags, void* stack_top,
                                               void (*run)(void*),
                                               void* argument,
                                               void* thread_pointer = nullptr) {
  void** stack = static_cast<void**>(stack_top) - 2;
  stack[0] = reinterpret_cast<void*>(run);
  stack[1] = argument;
  intptr_t result;
  register uintptr_t r10 asm("r10") = 0;
  register void* r8 asm("r8") = thread_pointer;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "pop %%rax\n\t"
      "pop %%rdi\n\t"
      "call *%%rax\n\t"
      "ud2\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(r10), "r"(r8)
      : "rcx", "r11", "memory");
  return result;
}

// The base of this thread's thread-local storage.
inline uintptr_t ThreadPointer() {
  uintptr_t base = 0;
  Call(SYS_arch_prctl, ARCH_GET_FS, Arg(&base));
  return base;
}

inline void SetThreadPointer(uintptr_t base) {
  Call(SYS_arch_prctl, ARCH_SET_FS, base);
}

}  // namespace heaptally::sys

#endif  // HEAPTALLY_ACCOUNTING_RAW_CLONE_H_
