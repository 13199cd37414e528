#include "allocator/runtime.h"

#include <time.h>

#include <atomic>

#include "accounting/modules.h"
#include "accounting/options.h"
#include "accounting/quiesce.h"
#include "accounting/recording.h"
#include "accounting/sys.h"
#include "accounting/traceback_table.h"
#include "allocator/heap_thread.h"
#include "allocator/side_header.h"

namespace heaptally {
namespace {

enum State : int { kDown, kComing, kUp };
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

void SetUp() {
  LoadOptions();
  const Options& options = GlobalOptions();
  InitQuiesce();
  MakeIdentity();
  TracebackTable::Init(options.max_tracebacks);
  Modules::SetUnloadedHook(TracebackTable::RetireRange);
  ThreadRegistry::SetPlainHeader([](uint32_t epoch) {
    return SideHeader::Make(kBeforeRecording, 0, epoch).word();
  });
  Recording::Init(options.mode, options.sample_interval, options.depth,
                  options.min_size);
  InitThreads();
  InitForkHandlers();
}

}  // namespace

bool InitRuntime() {
  if (state.load(std::memory_order_acquire) == kUp) return true;
  int expected = kDown;
  if (state.compare_exchange_strong(expected, kComing)) {
    initializing_tid.store(sys::GetTid());
    SetUp();
    state.store(kUp, std::memory_order_release);
    return true;
  }
  if (initializing_tid.load() == sys::GetTid()) return false;
  while (state.load(std::memory_order_acquire) != kUp) {
    sys::Call(SYS_sched_yield);
  }
  return true;
}

void ResetRuntimeInForkChild() { MakeIdentity(); }

const ProcessIdentity& GetProcessIdentity() { return identity; }

}  // namespace heaptally
