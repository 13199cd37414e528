// The frame of the program that called one of our doors. To be used in the
// door itself, which is compiled with a frame pointer: its frame begins with
// the caller's frame pointer and the return address.
#ifndef HEAPTALLY_ALLOCATOR_CALLER_H_
#define HEAPTALLY_ALLOCATOR_CALLER_H_

#include <cstdint>

#include "accounting/types.h"

namespace heaptally {

__attribute__((always_inline)) inline CallerContext CallerOfThisDoor() {
  auto* const frame = static_cast<uintptr_t*>(__builtin_frame_address(0));
  return {frame[1], reinterpret_cast<uintptr_t>(frame + 2), frame[0]};
}

}  // namespace heaptally

#define HEAPTALLY_DOOR extern "C" __attribute__((visibility("default")))

#endif  // HEAPTALLY_ALLOCATOR_CALLER_H_
