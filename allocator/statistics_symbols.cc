// glibc's doors to statistics and tuning: answered from our own counters and
// jemalloc's. Not safe in signal handlers (as in glibc).
#include <errno.h>
#include <malloc.h>
#include <stdio.h>

#include "accounting/process_counters.h"
#include "accounting/sys_io.h"
#include "accounting/text_writer.h"
#include "allocator/caller.h"
#include "allocator/header_sweep.h"
#include "allocator/jemalloc.h"
#include "allocator/operation.h"

namespace heaptally {
namespace {

// glibc's words: the heap is one arena, of which uordblks bytes are in blocks
// and fordblks are not.
struct mallinfo2 HeapInfo() {
  Operation operation;
  struct mallinfo2 info {};
  const Tally current = ReadTotals().current;
  jemalloc::Statistics statistics;
  if (operation.thread() != nullptr) jemalloc::ReadStatistics(&statistics);
  info.uordblks = current.usable;
  info.arena =
      statistics.mapped > current.usable ? statistics.mapped : current.usable;
  info.fordblks = info.arena - info.uordblks;
  return info;
}

// Through an int, as glibc does: large values wrap.
struct mallinfo Narrow(const struct mallinfo2& wide) {
  struct mallinfo info {};
  info.arena = static_cast<int>(wide.arena);
  info.uordblks = static_cast<int>(wide.uordblks);
  info.fordblks = static_cast<int>(wide.fordblks);
  return info;
}

}  // namespace
}  // namespace heaptally

HEAPTALLY_DOOR struct mallinfo2 mallinfo2() { return heaptally::HeapInfo(); }

HEAPTALLY_DOOR struct mallinfo mallinfo() {
  return heaptally::Narrow(heaptally::HeapInfo());
}

HEAPTALLY_DOOR int malloc_info(int options, FILE* stream) {
  if (options != 0) return EINVAL;
  const struct mallinfo2 info = heaptally::HeapInfo();
  char buffer[512];
  heaptally::TextWriter text(buffer, sizeof(buffer) - 1);
  text.Text("<malloc version=\"1\">\n<total type=\"usable\" size=\"")
      .Unsigned(info.uordblks)
      .Text("\"/>\n<system type=\"current\" size=\"")
      .Unsigned(info.arena)
      .Text("\"/>\n</malloc>\n");
  buffer[text.size()] = '\0';
  return fputs(buffer, stream) < 0 ? errno : 0;
}

HEAPTALLY_DOOR void malloc_stats() {
  const struct mallinfo2 info = heaptally::HeapInfo();
  char buffer[256];
  heaptally::TextWriter text(buffer, sizeof(buffer));
  text.Text("system bytes     = ")
      .Unsigned(info.arena)
      .Text("\nin use bytes     = ")
      .Unsigned(info.uordblks)
      .Char('\n');
  heaptally::sys::Call(SYS_write, heaptally::sys::kStandardError,
                       heaptally::sys::Arg(text.data()), text.size());
}

// 1: memory was given back to the system, as far as there was any.
HEAPTALLY_DOOR int malloc_trim(size_t) {
  heaptally::Operation operation;
  if (operation.thread() == nullptr) return 0;
  operation.thread()->FlushCache();
  heaptally::SweepHeaders();
  return heaptally::jemalloc::Purge() ? 1 : 0;
}

// glibc's parameters say nothing about this heap; setting them succeeds.
HEAPTALLY_DOOR int mallopt(int, int) { return 1; }
