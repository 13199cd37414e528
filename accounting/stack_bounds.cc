#include "accounting/stack_bounds.h"

#include <cerrno>

#include "accounting/sys.h"

extern "C" void* __libc_stack_end;

namespace heaptally {
namespace {

constexpr uintptr_t kPage = 4096;
// How far below what is known of a thread's own stack a stack pointer is taken
// to be on it (the kernel keeps other mappings that far away from the main
// stack); also how much of it is probed at first.
constexpr uintptr_t kOwnStep = uintptr_t{1} << 20;
// No frame is taken to be larger than this.
constexpr uintptr_t kMaxFrame = uintptr_t{64} << 20;

uintptr_t PageOf(uintptr_t address) { return address & ~(kPage - 1); }

bool AllReadable(uintptr_t from, uintptr_t to) {
  for (uintptr_t page = PageOf(from); page < to; page += kPage) {
    if (!IsReadable(page)) return false;
  }
  return true;
}

}  // namespace

// The kernel copies the signal set before it looks at `how`, which is invalid.
bool IsReadable(uintptr_t address) {
  constexpr uintptr_t kInvalidHow = ~uintptr_t{0};
  return sys::Call(SYS_rt_sigprocmask, kInvalidHow, address, 0, 8) == -EINVAL;
}

bool IsBottomOfProcess(uintptr_t sp) {
  constexpr uintptr_t kAlignment = 16;
  const uintptr_t end = reinterpret_cast<uintptr_t>(__libc_stack_end);
  return sp + kAlignment >= end && sp <= end + kAlignment;
}

void StackBounds::Reset(uintptr_t thread) {
  own_ = {};
  other_ = {};
  thread_ = thread;
  if (sys::GetPid() == sys::GetTid()) {
    const uintptr_t end = reinterpret_cast<uintptr_t>(__libc_stack_end);
    own_top_ = PageOf(end + kPage - 1);
  } else {
    own_top_ = thread & ~uintptr_t{7};  // glibc puts it above the stack
  }
}

StackRange StackBounds::Probe(uintptr_t sp) {
  if ((sp & 7) != 0) return {};
  const uintptr_t known = own_.high != 0 ? own_.low : own_top_;
  if (sp < known && known - sp <= kOwnStep && AllReadable(sp, known)) {
    own_ = {PageOf(sp), own_top_};
    return own_;
  }
  if (!IsReadable(sp)) return {};
  other_ = {PageOf(sp), PageOf(sp) + kPage};
  return other_;
}

StackRange StackBounds::Extend(uintptr_t sp, uintptr_t address) {
  if (own_.Holds(sp)) return own_;
  // The stack pointer of an outer frame may stand just behind what was read.
  if (other_.high == 0 || sp < other_.low || sp > other_.high) return {};
  if (address < other_.high || address - other_.high > kMaxFrame) {
    return other_;
  }
  while (other_.high <= address && IsReadable(other_.high)) {
    other_.high += kPage;
  }
  return other_;
}

}  // namespace heaptally
