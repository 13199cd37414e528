#include "allocator/foreign.h"

#include <sys/uio.h>

#include <atomic>

#include "accounting/sys.h"

namespace heaptally {
namespace {

std::atomic<uint64_t> frees{0};
std::atomic<uint64_t> reallocations{0};

}  // namespace

void CountForeignFree() { frees.fetch_add(1, std::memory_order_relaxed); }

uint64_t ForeignFrees() { return frees.load(std::memory_order_relaxed); }

void CountForeignReallocation() {
  reallocations.fetch_add(1, std::memory_order_relaxed);
}

uint64_t ForeignReallocations() {
  return reallocations.load(std::memory_order_relaxed);
}

// By the kernel, page by page: memory that cannot be read ends the copy instead
// of the program.
void CopyForeign(void* to, const void* from, size_t size) {
  constexpr size_t kPage = 4096;
  auto* out = static_cast<char*>(to);
  auto* in = static_cast<const char*>(from);
  while (size != 0) {
    const size_t left_in_page = kPage - sys::Arg(in) % kPage;
    const size_t n = size < left_in_page ? size : left_in_page;
    iovec local{out, n};
    iovec remote{const_cast<char*>(in), n};
    const intptr_t copied =
        sys::Call(SYS_process_vm_readv, static_cast<uintptr_t>(sys::GetPid()),
                  sys::Arg(&local), 1, sys::Arg(&remote), 1, 0);
    if (copied != static_cast<intptr_t>(n)) return;
    out += n;
    in += n;
    size -= n;
  }
}

}  // namespace heaptally
