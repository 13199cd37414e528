// operator new and delete, the forms that throw and the deletes. By the
// standard the array and sized forms end in the basic form that the program
// may have replaced; where it has not, they go straight to the heap.
#include "allocator/operator_new.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <new>

#include "allocator/caller.h"
#include "allocator/heap.h"
#include "allocator/heap_fast.h"

#if !defined(__clang__)  // which attributes an alias has does not matter here
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif

extern "C" {
// The program's C++ library (libstdc++ or libc++); null without one.
__attribute__((weak)) void _ZSt17__throw_bad_allocv();
__attribute__((weak)) std::new_handler _ZSt15get_new_handlerv();

// Hidden names of our own operators, to tell whether they were replaced.
__attribute__((visibility("hidden"),
               alias("_Znwm"))) void* heaptally_own_new(size_t);
__attribute__((visibility("hidden"), alias("_ZnwmSt11align_val_t"))) void*
    heaptally_own_new_aligned(size_t, std::align_val_t);
__attribute__((visibility("hidden"),
               alias("_Znam"))) void* heaptally_own_new_array(size_t);
__attribute__((visibility("hidden"), alias("_ZnamSt11align_val_t"))) void*
    heaptally_own_new_array_aligned(size_t, std::align_val_t);
__attribute__((visibility("hidden"), alias("_ZdlPv"))) void
heaptally_own_delete(void*);
__attribute__((visibility("hidden"), alias("_ZdaPv"))) void
heaptally_own_delete_array(void*);
__attribute__((visibility("hidden"), alias("_ZdlPvSt11align_val_t"))) void
heaptally_own_delete_aligned(void*, std::align_val_t);
__attribute__((visibility("hidden"), alias("_ZdaPvSt11align_val_t"))) void
heaptally_own_delete_array_aligned(void*, std::align_val_t);
}

namespace heaptally {
namespace {

using NewFunction = void* (*)(size_t);
using NewAlignedFunction = void* (*)(size_t, std::align_val_t);
using DeleteFunction = void (*)(void*);
using DeleteAlignedFunction = void (*)(void*, std::align_val_t);

// A C++ library that was loaded later, for a plug-in, is not bound to our weak
// references.
void* FindInCxxLibrary(const char* name) {
  for (const char* library : {"libstdc++.so.6", "libc++.so.1"}) {
    void* const handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) continue;
    void* const symbol = dlsym(handle, name);
    dlclose(handle);
    if (symbol != nullptr) return symbol;
  }
  return nullptr;
}

std::new_handler CurrentNewHandler() {
  using Getter = std::new_handler (*)();
  Getter get = _ZSt15get_new_handlerv;
  if (get == nullptr) {
    get = reinterpret_cast<Getter>(FindInCxxLibrary("_ZSt15get_new_handlerv"));
  }
  return get == nullptr ? nullptr : get();
}

[[noreturn]] void ThrowBadAlloc() {
  using Thrower = void (*)();
  Thrower do_throw = _ZSt17__throw_bad_allocv;
  if (do_throw == nullptr) {
    do_throw =
        reinterpret_cast<Thrower>(FindInCxxLibrary("_ZSt17__throw_bad_allocv"));
  }
  if (do_throw != nullptr) do_throw();
  __builtin_trap();  // operator new without any C++ library to throw
}

__attribute__((always_inline)) inline void Delete(void* p) {
  if (TryFree(p)) [[likely]]
    return;
  if (p != nullptr) Heap::Free(p);
}

// Reached by a jump, so that its caller is the operator's.
HEAPTALLY_SLOW_DOOR void* NewSlowly(size_t size) {
  const CallerContext caller = CallerOfThisDoor();
  void* const block = TryAllocateRecording(size, caller);
  if (block != nullptr) [[likely]]
    return block;
  return AllocateOrThrow(size, kDefaultAlignment, caller);
}

// The answers for functions seen, which are few: address * 2 + whether it is a
// stub.
std::atomic<uintptr_t> known_functions[16];

bool LooksLikeStub(void* function) {
  Dl_info info;
  void* symbol = nullptr;
  if (dladdr1(function, &info, &symbol, RTLD_DL_SYMENT) == 0) return false;
  const auto* entry = static_cast<const ElfW(Sym)*>(symbol);
  return entry != nullptr && entry->st_shndx == SHN_UNDEF;
}

}  // namespace

__attribute__((noinline)) bool IsStubInProgram(void* function) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(function);
  for (std::atomic<uintptr_t>& known : known_functions) {
    uintptr_t seen = known.load(std::memory_order_relaxed);
    if (seen == 0) {
      const uintptr_t answer = address * 2 + (LooksLikeStub(function) ? 1 : 0);
      if (known.compare_exchange_strong(seen, answer)) seen = answer;
    }
    if (seen / 2 == address) return seen % 2 != 0;
  }
  return LooksLikeStub(function);
}

void* AllocateOnce(size_t size, size_t alignment, const CallerContext& caller) {
  if (!std::has_single_bit(alignment)) return nullptr;
  return Heap::AllocateAligned(alignment, size, caller);
}

void* AllocateOrThrow(size_t size, size_t alignment,
                      const CallerContext& caller) {
  for (;;) {
    void* const block = AllocateOnce(size, alignment, caller);
    if (block != nullptr) return block;
    const std::new_handler handler = CurrentNewHandler();
    if (handler == nullptr || !std::has_single_bit(alignment)) {
      errno = ENOMEM;
      ThrowBadAlloc();
    }
    handler();
  }
}

}  // namespace heaptally

using heaptally::AllocateOrThrow;
using heaptally::CallerOfThisDoor;
using heaptally::Delete;

HEAPTALLY_OPERATOR void* operator new(size_t size) {
  void* const block = heaptally::TryAllocate(size);
  if (block != nullptr) [[likely]]
    return block;
  return heaptally::NewSlowly(size);
}

HEAPTALLY_OPERATOR void* operator new[](size_t size) {
  constexpr heaptally::NewFunction basic = operator new;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_new)) return operator new(size);
  void* const block = heaptally::TryAllocate(size);
  if (block != nullptr) [[likely]]
    return block;
  return heaptally::NewSlowly(size);
}

HEAPTALLY_OPERATOR void* operator new(size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment),
                         CallerOfThisDoor());
}

HEAPTALLY_OPERATOR void* operator new[](size_t size,
                                        std::align_val_t alignment) {
  constexpr heaptally::NewAlignedFunction basic = operator new;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_new_aligned)) {
    return operator new(size, alignment);
  }
  return AllocateOrThrow(size, static_cast<size_t>(alignment),
                         CallerOfThisDoor());
}

HEAPTALLY_OPERATOR void operator delete(void* p) noexcept { Delete(p); }

HEAPTALLY_OPERATOR void operator delete[](void* p) noexcept {
  constexpr heaptally::DeleteFunction basic = operator delete;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete)) return basic(p);
  Delete(p);
}

HEAPTALLY_OPERATOR void operator delete(void* p, size_t) noexcept {
  constexpr heaptally::DeleteFunction basic = operator delete;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete)) return basic(p);
  Delete(p);
}

HEAPTALLY_OPERATOR void operator delete[](void* p, size_t) noexcept {
  constexpr heaptally::DeleteFunction basic = operator delete[];
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete_array)) return basic(p);
  operator delete[](p);
}

HEAPTALLY_OPERATOR void operator delete(void* p,
                                        const std::nothrow_t&) noexcept {
  constexpr heaptally::DeleteFunction basic = operator delete;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete)) return basic(p);
  Delete(p);
}

HEAPTALLY_OPERATOR void operator delete[](void* p,
                                          const std::nothrow_t&) noexcept {
  constexpr heaptally::DeleteFunction basic = operator delete[];
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete_array)) return basic(p);
  operator delete[](p);
}

HEAPTALLY_OPERATOR void operator delete(void* p, std::align_val_t) noexcept {
  Delete(p);
}

HEAPTALLY_OPERATOR void operator delete[](void* p,
                                          std::align_val_t a) noexcept {
  constexpr heaptally::DeleteAlignedFunction basic = operator delete;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete_aligned)) {
    return basic(p, a);
  }
  Delete(p);
}

HEAPTALLY_OPERATOR void operator delete(void* p, size_t,
                                        std::align_val_t a) noexcept {
  constexpr heaptally::DeleteAlignedFunction basic = operator delete;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete_aligned)) {
    return basic(p, a);
  }
  Delete(p);
}

HEAPTALLY_OPERATOR void operator delete[](void* p, size_t,
                                          std::align_val_t a) noexcept {
  constexpr heaptally::DeleteAlignedFunction basic = operator delete[];
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete_array_aligned)) {
    return basic(p, a);
  }
  operator delete[](p, a);
}

HEAPTALLY_OPERATOR void operator delete(void* p, std::align_val_t a,
                                        const std::nothrow_t&) noexcept {
  constexpr heaptally::DeleteAlignedFunction basic = operator delete;
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete_aligned)) {
    return basic(p, a);
  }
  Delete(p);
}

HEAPTALLY_OPERATOR void operator delete[](void* p, std::align_val_t a,
                                          const std::nothrow_t&) noexcept {
  constexpr heaptally::DeleteAlignedFunction basic = operator delete[];
  if (!HEAPTALLY_IS_OURS(basic, heaptally_own_delete_array_aligned)) {
    return basic(p, a);
  }
  operator delete[](p, a);
}
