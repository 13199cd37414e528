#include "snapshot/capture_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "accounting/raw_clone.h"
#include "accounting/sys_io.h"
#include "allocator/jemalloc.h"

namespace heaptally {
namespace {

// The kernel's struct sigaction.
struct KernelAction {
  uintptr_t handler;
  uint64_t flags;
  uintptr_t restorer;
  uint64_t mask;
};

void ForgetSignalHandlers() {
  const KernelAction by_default = {};
  for (uintptr_t signal = 1; signal <= 64; ++signal) {
    sys::Call(SYS_rt_sigaction, signal, sys::Arg(&by_default), 0,
              sizeof(by_default.mask));
  }
}

// When memory runs out the kernel is to take this process, not the program.
void VolunteerForOutOfMemory() {
  const int fd = sys::Open("/proc/self/oom_score_adj", O_WRONLY);
  if (sys::Failed(fd)) return;
  sys::Call(SYS_write, static_cast<uintptr_t>(fd), sys::Arg("1000"), 4);
  sys::Close(fd);
}

// The last thing that the child does: if jemalloc's state should be unfit to
// be asked, the snapshot is written all the same.
void AskJemalloc(const CaptureChild& child) {
  if (child.thread_pointer != 0) sys::SetThreadPointer(child.thread_pointer);
  jemalloc::Statistics statistics;
  if (!jemalloc::ReadStatistics(&statistics)) return;
  child.shared->jemalloc_allocated = statistics.allocated;
  child.shared->jemalloc_active = statistics.active;
  child.shared->jemalloc_resident = statistics.resident;
  child.shared->jemalloc_mapped = statistics.mapped;
  child.shared->has_jemalloc.store(true, std::memory_order_release);
}

}  // namespace

void LeaveTheProgram(const char* name, int parent, int keep_fd) {
  sys::Call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (sys::Call(SYS_getppid) != parent) sys::ExitProcess(1);
  sys::Call(SYS_prctl, PR_SET_NAME, sys::Arg(name));
  ForgetSignalHandlers();
  if (keep_fd > 0) sys::CloseRange(0, static_cast<unsigned>(keep_fd) - 1);
  sys::CloseRange(static_cast<unsigned>(keep_fd) + 1, ~0u);
  const rlimit no_core = {0, 0};
  sys::Call(SYS_prlimit64, 0, RLIMIT_CORE, sys::Arg(&no_core), 0);
}

void RunCaptureChild(void* capture) {
  const CaptureChild child = *static_cast<CaptureChild*>(capture);
  LeaveTheProgram("heaptally-snap", child.parent, child.fd);
  VolunteerForOutOfMemory();
  const int error = WriteSections(child.fd, child.shared);
  if (error == 0 && child.ask_jemalloc) AskJemalloc(child);
  sys::ExitProcess(error == 0 ? 0 : 1);
}

}  // namespace heaptally
