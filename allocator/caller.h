// The frame of the program that called one of our doors. To be used in the
// door itself, or in a slow door, to which a door jumps: the use makes the
// compiler keep a frame pointer there, and the frame begins with the caller's
// frame pointer and the return address. The files with doors are compiled with
// optimisation in every build type, since only that turns the call of a slow
// door into a jump; a test sees to it that no frame of ours is ever recorded.
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

#define HEAPTALLY_SLOW_DOOR __attribute__((noinline))

#endif  // HEAPTALLY_ALLOCATOR_CALLER_H_
