#include "snapshot/capture_packer.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "accounting/raw_clone.h"
#include "accounting/sys_io.h"
#include "snapshot/capture_child.h"

namespace heaptally {
namespace {

constexpr size_t kStackBytes = 64 << 10;
constexpr int kCannotRun = 127;

// exec makes its process an ordinary child, with SIGCHLD and wait(). So the
// tool is the child of a go-between, which is the program's own child by clone
// and unknown to it. All three share memory: there is no copy of page tables.
struct Packing {
  const char* const* arguments;
  const char* const* environment;
  char* tool_stack;  // its top
  int parent;
  std::atomic<int> status;
};

bool IsOurs(const char* variable) {
  for (const char* name : {"LD_PRELOAD=", "HEAPTALLY"}) {
    const char* at = variable;
    while (*name != '\0' && *at == *name) ++at, ++name;
    if (*name == '\0') return true;
  }
  return false;
}

// The environment without what would start the tool under heaptally.
const char** ToolEnvironment(size_t* bytes) {
  size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) ++count;
  *bytes = (count + 1) * sizeof(char*);
  void* memory =
      sys::Mmap(*bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (sys::Failed(reinterpret_cast<intptr_t>(memory))) return nullptr;
  const char** copy = static_cast<const char**>(memory);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsOurs(environ[i])) copy[kept++] = environ[i];
  }
  return copy;
}

// The tool: reads nothing, prints to stderr only, hears every signal. All other
// descriptors are closed already, so /dev/null becomes standard input.
void ExecTool(void* argument) {
  const Packing& packing = *static_cast<Packing*>(argument);
  sys::Call(SYS_open, sys::Arg("/dev/null"), O_RDONLY);
  sys::Call(SYS_dup2, sys::kStandardError, 1);
  const uint64_t no_signals = 0;
  sys::SignalsBlocked::Mask(&no_signals, nullptr);
  sys::Call(SYS_execve, sys::Arg(packing.arguments[0]),
            sys::Arg(packing.arguments), sys::Arg(packing.environment));
  sys::ExitProcess(kCannotRun);
}

void GoBetween(void* argument) {
  Packing& packing = *static_cast<Packing*>(argument);
  LeaveTheProgram("heaptally-pack", packing.parent, sys::kStandardError);
  const intptr_t tool = sys::CloneOnStack(
      CLONE_VM | CLONE_VFORK | SIGCHLD, packing.tool_stack, ExecTool, argument);
  int status = kCannotRun << 8;
  if (!sys::Failed(tool)) {
    while (sys::Call(SYS_wait4, static_cast<uintptr_t>(tool), sys::Arg(&status),
                     0, 0) == -EINTR) {
    }
  }
  packing.status.store(status, std::memory_order_release);
  sys::ExitProcess(0);
}

}  // namespace

void RunPacker(const char* program, const char* file) {
  const char* const arguments[] = {program, "pack", file, nullptr};
  size_t environment_bytes = 0;
  const char** environment = ToolEnvironment(&environment_bytes);
  auto* stacks = static_cast<char*>(sys::Mmap(
      2 * kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS));
  if (environment == nullptr ||
      sys::Failed(reinterpret_cast<intptr_t>(stacks))) {
    return sys::Complain("the snapshot at exit is not packed: no memory");
  }
  Packing packing = {arguments, environment, stacks + kStackBytes,
                     sys::GetPid(), kCannotRun << 8};
  const sys::SignalsBlocked no_signals;
  const intptr_t child = sys::CloneOnStack(CLONE_VM, stacks + 2 * kStackBytes,
                                           GoBetween, &packing);
  int ignored = 0;
  while (!sys::Failed(child) &&
         sys::Call(SYS_wait4, static_cast<uintptr_t>(child), sys::Arg(&ignored),
                   static_cast<unsigned>(__WCLONE), 0) == -EINTR) {
  }
  const int status = packing.status.load(std::memory_order_acquire);
  if (status == kCannotRun << 8) {
    sys::Complain("the snapshot at exit is not packed: cannot run ", program);
  } else if (status != 0) {
    sys::Complain("the snapshot at exit is not packed: it failed: ", program);
  }
  sys::Munmap(stacks, 2 * kStackBytes);
  sys::Munmap(environment, environment_bytes);
}

}  // namespace heaptally
