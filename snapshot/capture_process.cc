#include "snapshot/capture_process.h"

#include "accounting/sys_io.h"

namespace heaptally {
namespace {

constexpr uint64_t kPageBytes = 4096;

intptr_t ReadProcFile(int pid, const char* name, char* buffer, size_t size) {
  char path[64];
  TextWriter writer(path, sizeof(path));
  writer.Text("/proc/").Unsigned(static_cast<uint64_t>(pid));
  writer.Char('/').Text(name).Char('\0');
  return sys::ReadFile(path, buffer, size);
}

// The number that begins behind `at`.
uint64_t NumberAfter(const char* text, intptr_t size, intptr_t at) {
  uint64_t value = 0;
  for (++at; at < size && text[at] >= '0' && text[at] <= '9'; ++at) {
    value = value * 10 + static_cast<uint64_t>(text[at] - '0');
  }
  return value;
}

}  // namespace

ProcessNumbers ProcessNumbers::Read(int pid) {
  ProcessNumbers numbers = {};
  char text[1024];
  intptr_t n = ReadProcFile(pid, "stat", text, sizeof(text));
  // `pid (name) state parent …`; the name may contain anything: look for the
  // last ')'.
  intptr_t at = n;
  while (at > 0 && text[at - 1] != ')') --at;
  if (at > 0) numbers.parent = NumberAfter(text, n, at + 2);
  n = ReadProcFile(pid, "statm", text, sizeof(text));
  at = 0;
  while (at < n && text[at] != ' ') ++at;
  numbers.resident_bytes = NumberAfter(text, n, at) * kPageBytes;
  return numbers;
}

}  // namespace heaptally
