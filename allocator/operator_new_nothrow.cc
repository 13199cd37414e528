// The forms of operator new that give null instead of throwing. They alone need
// exceptions: a new-handler or a replaced basic form may throw into them. What
// that takes from the C++ library is bound weakly, so that a program without
// one can run.
#include <cstddef>
#include <new>

#include "allocator/caller.h"
#include "allocator/heap_fast.h"
#include "allocator/operator_new.h"

asm(".weak __gxx_personality_v0\n"
    ".weak __cxa_begin_catch\n"
    ".weak __cxa_end_catch\n"
    ".weak _ZSt9terminatev\n");

extern "C" {
// Defined in operator_new.cc and here.
__attribute__((visibility("hidden"))) void* heaptally_own_new(size_t);
__attribute__((visibility("hidden"))) void* heaptally_own_new_aligned(
    size_t, std::align_val_t);
__attribute__((visibility("hidden"))) void* heaptally_own_new_array(size_t);
__attribute__((visibility("hidden"))) void* heaptally_own_new_array_aligned(
    size_t, std::align_val_t);
}

namespace {

using heaptally::CallerContext;
using heaptally::CallerOfThisDoor;

using NewFunction = void* (*)(size_t);
using NewAlignedFunction = void* (*)(size_t, std::align_val_t);

// One attempt without exceptions; then the loop, which may throw.
void* AllocateOrNull(size_t size, size_t alignment,
                     const CallerContext& caller) noexcept {
  void* const block = heaptally::AllocateOnce(size, alignment, caller);
  if (block != nullptr) return block;
  try {
    return heaptally::AllocateOrThrow(size, alignment, caller);
  } catch (...) {
    return nullptr;
  }
}

HEAPTALLY_SLOW_DOOR void* NewSlowlyOrNull(size_t size) noexcept {
  return AllocateOrNull(size, heaptally::kDefaultAlignment, CallerOfThisDoor());
}

template <typename Function, typename... Arguments>
void* CallOrNull(Function function, Arguments... arguments) noexcept {
  try {
    return function(arguments...);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

HEAPTALLY_OPERATOR void* operator new(size_t size,
                                      const std::nothrow_t&) noexcept {
  constexpr NewFunction basic = operator new;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_new)) {
    return CallOrNull(basic, size);
  }
  void* const block = heaptally::TryAllocate(size);
  if (block != nullptr) [[likely]]
    return block;
  return NewSlowlyOrNull(size);
}

HEAPTALLY_OPERATOR void* operator new[](size_t size,
                                        const std::nothrow_t&) noexcept {
  constexpr NewFunction array = operator new[];
  constexpr NewFunction basic = operator new;
  if (!HEAPTALLY_IS_OURS(array, heaptally_own_new_array) ||
      !HEAPTALLY_IS_OURS(basic, heaptally_own_new)) {
    return CallOrNull(array, size);
  }
  void* const block = heaptally::TryAllocate(size);
  if (block != nullptr) [[likely]]
    return block;
  return NewSlowlyOrNull(size);
}

HEAPTALLY_OPERATOR void* operator new(size_t size, std::align_val_t alignment,
                                      const std::nothrow_t&) noexcept {
  constexpr NewAlignedFunction basic = operator new;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_new_aligned)) {
    return CallOrNull(basic, size, alignment);
  }
  return AllocateOrNull(size, static_cast<size_t>(alignment),
                        CallerOfThisDoor());
}

HEAPTALLY_OPERATOR void* operator new[](size_t size, std::align_val_t alignment,
                                        const std::nothrow_t&) noexcept {
  constexpr NewAlignedFunction array = operator new[];
  constexpr NewAlignedFunction basic = operator new;
  if (!HEAPTALLY_IS_OURS(array, heaptally_own_new_array_aligned) ||
      !HEAPTALLY_IS_OURS(basic, heaptally_own_new_aligned)) {
    return CallOrNull(array, size, alignment);
  }
  return AllocateOrNull(size, static_cast<size_t>(alignment),
                        CallerOfThisDoor());
}
