#include "snapshot/capture_identity.h"

#include <atomic>

#include "accounting/sys_io.h"

namespace heaptally {
namespace {

constexpr uint64_t kTicksPerSecond = 100;  // USER_HZ on every Linux port.
constexpr uint64_t kPageBytes = 4096;

ProcessIdentity identity;
std::atomic<int> identity_pid;   // whose identity that is
std::atomic<int> identity_lock;  // pid of who finds it out

void ReadStat(const char* text, size_t size, ProcessNumbers* out) {
  // The name, in parentheses, may contain anything: begin after the last ')'.
  size_t at = size;
  while (at != 0 && text[at - 1] != ')') --at;
  int field = 2;
  uint64_t value = 0;
  for (; at < size; ++at) {
    const char c = text[at];
    if (c >= '0' && c <= '9') {
      value = value * 10 + static_cast<uint64_t>(c - '0');
      continue;
    }
    if (c != ' ' && c != '\n') continue;
    if (field == 4) out->parent = value;
    if (field == 20) out->threads = value;
    if (field == 22) out->start_ticks = value;
    ++field;
    value = 0;
  }
}

intptr_t ReadProcFile(int pid, const char* name, char* buffer, size_t size) {
  char path[64];
  TextWriter writer(path, sizeof(path));
  writer.Text("/proc/");
  if (pid == 0) {
    writer.Text("self");
  } else {
    writer.Unsigned(static_cast<uint64_t>(pid));
  }
  writer.Char('/').Text(name).Char('\0');
  return sys::ReadFile(path, buffer, size);
}

ProcessIdentity Find(int pid) {
  ProcessIdentity found = {};
  found.pid = pid;
  const ProcessNumbers numbers = ProcessNumbers::Read(0);
  const uint64_t now = sys::UnixNs();
  const uint64_t since_boot = sys::ClockNs(CLOCK_BOOTTIME);
  const uint64_t start = numbers.start_ticks * (1000000000 / kTicksPerSecond);
  found.started_unix_ns = numbers.start_ticks == 0 || start > since_boot
                              ? now
                              : now - since_boot + start;
  uint64_t random[2] = {};
  if (sys::Failed(sys::Call(SYS_getrandom, sys::Arg(random), sizeof(random)))) {
    random[0] = now * 0x9e3779b97f4a7c15u;
    random[1] = (since_boot ^ static_cast<uint64_t>(pid)) * 0xbf58476d1ce4e5b9u;
  }
  TextWriter(found.id, 32).Hex(random[0], 16).Hex(random[1], 16);
  return found;
}

}  // namespace

ProcessNumbers ProcessNumbers::Read(int pid) {
  ProcessNumbers numbers = {};
  char text[1024];
  intptr_t n = ReadProcFile(pid, "stat", text, sizeof(text));
  if (n > 0) ReadStat(text, static_cast<size_t>(n), &numbers);
  n = ReadProcFile(pid, "statm", text, sizeof(text));
  intptr_t at = 0;
  while (at < n && text[at] != ' ') ++at;
  uint64_t pages = 0;
  for (++at; at < n && text[at] >= '0' && text[at] <= '9'; ++at) {
    pages = pages * 10 + static_cast<uint64_t>(text[at] - '0');
  }
  numbers.resident_bytes = pages * kPageBytes;
  return numbers;
}

ProcessIdentity ProcessIdentity::Get() {
  const int pid = sys::GetPid();
  while (identity_pid.load(std::memory_order_acquire) != pid) {
    int holder = identity_lock.load(std::memory_order_relaxed);
    // A holder with another pid is a thread of our parent: it is not here.
    if (holder != pid && identity_lock.compare_exchange_strong(
                             holder, pid, std::memory_order_acquire)) {
      if (identity_pid.load(std::memory_order_relaxed) != pid) {
        identity = Find(pid);
        identity_pid.store(pid, std::memory_order_release);
      }
      identity_lock.store(0, std::memory_order_release);
    } else {
      sys::Call(SYS_sched_yield);
    }
  }
  return identity;
}

}  // namespace heaptally
