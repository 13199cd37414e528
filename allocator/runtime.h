// Bringing the runtime up: at the first block that anybody asks for, which is
// before any constructor and may be inside the loader.
#ifndef HEAPTALLY_ALLOCATOR_RUNTIME_H_
#define HEAPTALLY_ALLOCATOR_RUNTIME_H_

namespace heaptally {

// Sets everything up once. False while that is under way (the call comes from
// inside it) or if the system refuses the memory for it; then a later call
// tries again, and until one succeeds blocks come from nested.h. Thread-safe.
bool InitRuntime();

// At the start of the program, in a constructor. In a statically linked program
// stacks are recorded only from here on: what finds unwind tables is not set up
// before. Blocks until then carry kBeforeRecording.
void BeginRecording();

// In the child of a fork: a new process begins with the heap it inherited.
void ResetRuntimeInForkChild();

// Registers our fork handlers with the C library; see fork.cc.
void InitForkHandlers();

// 128 random bits that name this process in snapshots; new in a fork's child.
struct ProcessIdentity {
  unsigned char bytes[16];
  unsigned long long started_unix_ns;
};
const ProcessIdentity& GetProcessIdentity();

// What a fork's child and the start of the program have to do beyond the heap
// (the control socket). Set by integration/ before main.
using ForkChildHook = void (*)();
void SetForkChildHook(ForkChildHook hook);

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_RUNTIME_H_
