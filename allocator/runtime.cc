#include "allocator/runtime.h"

#include <sys/auxv.h>
#include <time.h>

#include <atomic>

#include "accounting/modules.h"
#include "accounting/options.h"
#include "accounting/quiesce.h"
#include "accounting/recording.h"
#include "accounting/recording_cost.h"
#include "accounting/sys.h"
#include "accounting/traceback_table.h"
#include "allocator/heap_thread.h"
#include "allocator/jemalloc.h"
#include "allocator/side_header.h"

namespace heaptally {
namespace {

enum State : int { kDown, kComing, kUp, kFailed };
std::atomic<int> state{kDown};
std::atomic<int> initializing_tid{0};
ProcessIdentity identity;

void MakeIdentity() {
  sys::Call(SYS_getrandom, sys::Arg(identity.bytes), sizeof(identity.bytes), 0);
  timespec now;
  sys::Call(SYS_clock_gettime, CLOCK_REALTIME, sys::Arg(&now));
  identity.started_unix_ns =
      static_cast<unsigned long long>(now.tv_sec) * 1000000000 +
      static_cast<unsigned long long>(now.tv_nsec);
}

// Everything; false if the system refuses the memory that nothing goes without.
bool SetUp() {
  LoadOptions();
  const Options& options = GlobalOptions();
  InitQuiesce();
  MakeIdentity();
  RecordingCost::Init();
  TracebackTable::Init(options.max_tracebacks);
  Modules::SetUnloadedHook(TracebackTable::RetireRange);
  ThreadRegistry::SetPlainHeader([](uint32_t epoch) {
    return SideHeader::Make(kBeforeRecording, 0, epoch).word();
  });
  const bool walkable = getauxval(AT_BASE) != 0;
  Recording::Init(walkable ? options.mode : RecordingMode::kCounters,
                  walkable ? options.sample_interval : 0, options.depth,
                  options.min_size);
  InitThreads();
  InitForkHandlers();
  return jemalloc::Start();
}

// jemalloc may find its memory later (a limit was lifted).
bool TryAgain() {
  int expected = kFailed;
  if (!state.compare_exchange_strong(expected, kComing)) {
    return expected == kUp;
  }
  initializing_tid.store(sys::GetTid());
  const bool up = jemalloc::Start();
  state.store(up ? kUp : kFailed, std::memory_order_release);
  return up;
}

}  // namespace

bool InitRuntime() {
  if (state.load(std::memory_order_acquire) == kUp) return true;
  int expected = kDown;
  if (state.compare_exchange_strong(expected, kComing)) {
    initializing_tid.store(sys::GetTid());
    const bool up = SetUp();
    state.store(up ? kUp : kFailed, std::memory_order_release);
    return up;
  }
  if (expected == kComing && initializing_tid.load() == sys::GetTid()) {
    return false;
  }
  while (state.load(std::memory_order_acquire) == kComing) {
    sys::Call(SYS_sched_yield);
  }
  return TryAgain();
}

void BeginRecording() {
  const Options& options = GlobalOptions();
  if (Recording::mode() == options.mode) return;
  Recording::Set(options.mode, options.sample_interval);
}

void ResetRuntimeInForkChild() { MakeIdentity(); }

const ProcessIdentity& GetProcessIdentity() { return identity; }

}  // namespace heaptally
