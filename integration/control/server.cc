#include "integration/control/server.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <atomic>

#include "accounting/options.h"
#include "accounting/own_memory.h"
#include "accounting/raw_clone.h"
#include "accounting/sys_io.h"
#include "integration/control/service.h"
#include "integration/control/socket_place.h"

namespace heaptally {
namespace {

using control::SocketPlace;

constexpr size_t kGuardBytes = 4 << 10;
constexpr size_t kStackBytes = 256 << 10;
constexpr size_t kThreadLocalBytes = 1 << 20;  // untouched, so free of charge
constexpr size_t kThreadPointerBytes = 4 << 10;
constexpr size_t kTouchedBytes = 16 << 10;
constexpr int kStartSeconds = 2;
constexpr uintptr_t kBacklog = 128;

enum State : uint32_t { kStarting, kReady, kFailed };

SocketPlace place;
std::atomic<uint32_t> state;
std::atomic<int> socket_owner;  // pid of the process that has bound the socket
char* thread_memory;
uintptr_t host_thread_pointer;

void Announce(State new_state) {
  state.store(new_state, std::memory_order_release);
  sys::Call(SYS_futex, sys::Arg(&state), FUTEX_WAKE_PRIVATE, 1);
}

// Leaves the program's file table, which this thread was born into, without
// copying or closing anything of it.
bool LeaveFileTable() {
  if (!sys::Failed(sys::CloseRange(0, ~0u, CLOSE_RANGE_UNSHARE))) return true;
  // A kernel before 5.9.
  if (sys::Failed(sys::Call(SYS_unshare, CLONE_FILES))) return false;
  constexpr int kMostFiles = 1 << 16;
  for (int fd = 0; fd < kMostFiles; ++fd) sys::Close(fd);
  return true;
}

void DropPrivileges() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  sys::Call(SYS_capset, sys::Arg(&header), sys::Arg(none));
  sys::Call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// The listening socket, or negative errno.
intptr_t OpenSocket() {
  sockaddr_un address;
  size_t size = 0;
  if (!place.Name(&address, &size)) return -ENAMETOOLONG;
  const intptr_t fd = sys::Call(
      SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (sys::Failed(fd)) return fd;
  const auto handle = static_cast<uintptr_t>(fd);
  // Under its final name only when it listens, in place of one that an earlier
  // process of the same number has left.
  sockaddr_un unfinished = address;
  size_t last = 0;
  while (unfinished.sun_path[last] != '\0') ++last;
  unfinished.sun_path[last - 1] = '~';
  sys::Call(SYS_unlink, sys::Arg(unfinished.sun_path));
  intptr_t result = sys::Call(SYS_bind, handle, sys::Arg(&unfinished), size);
  if (!sys::Failed(result)) result = sys::Call(SYS_listen, handle, kBacklog);
  if (!sys::Failed(result)) {
    result = sys::Call(SYS_rename, sys::Arg(unfinished.sun_path),
                       sys::Arg(address.sun_path));
  }
  return sys::Failed(result) ? result : fd;
}

void RunThread(void*) {
  sys::Call(SYS_prctl, PR_SET_NAME, sys::Arg("heaptally"));
  int listener = -1;
  if (LeaveFileTable()) {
    DropPrivileges();
    // Its own umask and directory: this thread shares neither.
    sys::Call(SYS_umask, 077);
    sys::Call(SYS_chdir, sys::Arg("/"));
    listener = static_cast<int>(OpenSocket());
  }
  if (sys::Failed(listener)) {
    Announce(kFailed);
  } else {
    socket_owner.store(sys::GetPid(), std::memory_order_relaxed);
    Announce(kReady);
    control::Serve(listener, host_thread_pointer);
  }
  for (;;) sys::Call(SYS_exit, 0);
}

// Guard, stack, room for thread-local variables below the thread pointer. Kept
// for a fork's child, whose parent's thread it does not have.
bool MapThreadMemory() {
  if (thread_memory != nullptr) return true;
  void* memory = OwnMemory::Reserve(kGuardBytes + kStackBytes +
                                    kThreadLocalBytes + kThreadPointerBytes);
  if (memory == nullptr) return false;
  OwnMemory::Count(OwnUse::kOther, kTouchedBytes);
  sys::Call(SYS_mprotect, sys::Arg(memory), kGuardBytes, PROT_NONE);
  thread_memory = static_cast<char*>(memory);
  return true;
}

bool StartThread() {
  if (!MapThreadMemory()) return false;
  char* stack_top = thread_memory + kGuardBytes + kStackBytes;
  // What x86-64 code expects at the thread pointer: its own address.
  void** thread_pointer =
      reinterpret_cast<void**>(stack_top + kThreadLocalBytes);
  thread_pointer[0] = thread_pointer;
  thread_pointer[2] = thread_pointer;
  state.store(kStarting, std::memory_order_relaxed);
  const sys::SignalsBlocked no_signals;  // inherited
  constexpr uintptr_t kFlags = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND |
                               CLONE_SYSVSEM | CLONE_FILES | CLONE_SETTLS;
  return !sys::Failed(
      sys::CloneOnStack(kFlags, stack_top, RunThread, nullptr, thread_pointer));
}

bool WaitForThread() {
  timespec patience = {kStartSeconds, 0};
  while (state.load(std::memory_order_acquire) == kStarting) {
    if (sys::Call(SYS_futex, sys::Arg(&state), FUTEX_WAIT_PRIVATE, kStarting,
                  sys::Arg(&patience)) == -ETIMEDOUT) {
      return true;  // It is late, not lost.
    }
  }
  return state.load(std::memory_order_relaxed) == kReady;
}

void ReportPlace(const char* problem) {
  char sentence[1200];
  TextWriter text(sentence, sizeof(sentence) - 1);
  text.Text("no control socket in ").Text(place.directory()).Text(": ");
  text.Text(problem);
  sentence[text.size()] = '\0';
  sys::Complain(sentence);
}

}  // namespace

void StartControlServer() {
  const Options& options = GlobalOptions();
  if (!options.control) return;
  host_thread_pointer = sys::ThreadPointer();
  const char* problem = place.Prepare(options.socket_dir);
  if (problem != nullptr) return ReportPlace(problem);
  if (!StartThread()) return ReportPlace("its thread cannot be created");
  if (!WaitForThread()) ReportPlace("the socket cannot be opened");
}

void RemoveControlSocket() {
  if (socket_owner.load() == 0) return;
  int self = sys::GetPid();
  sockaddr_un address;
  size_t size;
  if (socket_owner.compare_exchange_strong(self, 0) &&
      place.Name(&address, &size)) {
    sys::Call(SYS_unlink, sys::Arg(address.sun_path));
  }
}

}  // namespace heaptally
