// What the operator new files share: the new-handler loop and how the program's
// own C++ library is reached. The runtime links none; a program without one
// never gets here.
#ifndef HEAPTALLY_ALLOCATOR_OPERATOR_NEW_H_
#define HEAPTALLY_ALLOCATOR_OPERATOR_NEW_H_

#include <cstddef>

#include "accounting/types.h"

namespace heaptally {

// Of the forms that take none.
inline constexpr size_t kDefaultAlignment = 1;

// Allocates; while that fails, calls the new-handler, and throws
// std::bad_alloc by the program's C++ library if there is none, or if
// `alignment` is no power of two.
void* AllocateOrThrow(size_t size, size_t alignment,
                      const CallerContext& caller);

// One attempt; null for a bad alignment too.
void* AllocateOnce(size_t size, size_t alignment, const CallerContext& caller);

}  // namespace heaptally

// Attributes of each operator: visible to the program, and weak so that a
// program which is linked with the archive may define its own.
#define HEAPTALLY_OPERATOR __attribute__((visibility("default"), weak))

namespace heaptally {

// True if `function` is no definition but the stub by which a program that is
// not position-independent names an operator whose address it takes; what is
// behind it is ours then. Takes the loader's lock, once for each stub.
bool IsStubInProgram(void* function);

// `named` is what the operator's name means at run time, `own` our definition.
inline bool IsOurs(void* named, void* own) {
  return named == own || IsStubInProgram(named);
}

}  // namespace heaptally

// True if the operator that `function` names at run time is the one defined in
// this library: the program has not replaced it. `own` is a hidden alias.
#define HEAPTALLY_IS_OURS(function, own)              \
  ({                                                  \
    auto* named_ = reinterpret_cast<void*>(function); \
    auto* own_ = reinterpret_cast<void*>(own);        \
    asm("" : "+r"(named_));                           \
    asm("" : "+r"(own_));                             \
    heaptally::IsOurs(named_, own_);                  \
  })

#endif  // HEAPTALLY_ALLOCATOR_OPERATOR_NEW_H_
