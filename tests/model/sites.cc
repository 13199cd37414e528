#include "tests/model/sites.h"

#include <dlfcn.h>
#include <malloc.h>

#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "tests/support/check.h"

namespace model {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kItem = 3;

}  // namespace

// Outside the anonymous namespace: the checker finds it by this name.
template <int kSite, int kDoor>
__attribute__((noinline)) void* AllocateAt(const Request& request) {
  void* block = nullptr;
  const auto alignment = std::align_val_t{request.alignment};
  if constexpr (kDoor == kMalloc) {
    block = malloc(request.size);
  } else if constexpr (kDoor == kCalloc) {
    block = calloc(request.size / kItem, kItem);
  } else if constexpr (kDoor == kRealloc) {
    block = realloc(request.old, request.size);
  } else if constexpr (kDoor == kReallocarray) {
    block = reallocarray(request.old, request.size / kItem, kItem);
  } else if constexpr (kDoor == kAlignedAlloc) {
    block = aligned_alloc(request.alignment, request.size);
  } else if constexpr (kDoor == kMemalign) {
    block = memalign(request.alignment, request.size);
  } else if constexpr (kDoor == kPosixMemalign) {
    CHECK_EQ(posix_memalign(&block, request.alignment, request.size), 0);
  } else if constexpr (kDoor == kValloc) {
    block = valloc(request.size);
  } else if constexpr (kDoor == kPvalloc) {
    block = pvalloc(request.size);
  } else if constexpr (kDoor == kStrdup) {
    block = strdup(request.text);
  } else if constexpr (kDoor == kNew) {
    block = operator new(request.size);
  } else if constexpr (kDoor == kNewNothrow) {
    block = operator new(request.size, std::nothrow);
  } else if constexpr (kDoor == kNewArray) {
    block = operator new[](request.size);
  } else if constexpr (kDoor == kNewAligned) {
    block = operator new(request.size, alignment);
  } else if constexpr (kDoor == kNewArrayAligned) {
    block = operator new[](request.size, alignment);
  } else if constexpr (kDoor == kNewArrayNothrow) {
    block = operator new[](request.size, std::nothrow);
  } else if constexpr (kDoor == kNewAlignedNothrow) {
    block = operator new(request.size, alignment, std::nothrow);
  } else if constexpr (kDoor == kNewArrayAlignedNothrow) {
    block = operator new[](request.size, alignment, std::nothrow);
  }
  // Keeps the call from becoming a jump, and two functions from being one.
  __asm__ volatile("" : "+r"(block) : "i"(kSite * kDoors + kDoor) : "memory");
  return block;
}

namespace {

using Site = void* (*)(const Request&);

template <int... kNumbers>
constexpr std::array<Site, kKeys> AllSites(
    std::integer_sequence<int, kNumbers...>) {
  return {&AllocateAt<kNumbers / kDoors, kNumbers % kDoors>...};
}

constexpr std::array<Site, kKeys> kAllSites =
    AllSites(std::make_integer_sequence<int, kKeys>());

// C23's, which the C library does not have.
using FreeSized = void (*)(void*, size_t);
using FreeAlignedSized = void (*)(void*, size_t, size_t);

void ReleaseAsC(void* block, Door door, const Request& request, unsigned way) {
  static const auto free_sized =
      reinterpret_cast<FreeSized>(dlsym(RTLD_DEFAULT, "free_sized"));
  static const auto free_aligned_sized = reinterpret_cast<FreeAlignedSized>(
      dlsym(RTLD_DEFAULT, "free_aligned_sized"));
  const bool sized = way % 2 == 1;
  if (way % 8 == 0) {
    CHECK(realloc(block, KeepSize(0)) == nullptr);
  } else if (sized && door == kMalloc && free_sized != nullptr) {
    free_sized(block, request.size);
  } else if (sized && door == kAlignedAlloc && free_aligned_sized != nullptr) {
    free_aligned_sized(block, request.alignment, request.size);
  } else {
    free(block);
  }
}

}  // namespace

size_t Fit(Door door, Request* request) {
  size_t& size = request->size;
  switch (door) {
    case kCalloc:
    case kReallocarray:
      size = size / kItem * kItem + (request->old != nullptr ? kItem : 0);
      break;
    case kRealloc:
      size += request->old != nullptr && size == 0 ? 1 : 0;
      break;
    case kPvalloc:
      size = (size + kPage - 1) / kPage * kPage + (size == 0 ? kPage : 0);
      break;
    case kStrdup:
      size = strlen(request->text) + 1;
      break;
    case kNew:
    case kNewNothrow:
    case kNewArray:
    case kNewAligned:
    case kNewArrayAligned:
    case kNewArrayNothrow:
    case kNewAlignedNothrow:
    case kNewArrayAlignedNothrow:
      size += size == 0 ? 1 : 0;
      break;
    default:
      break;
  }
  return size;
}

void* Allocate(int site, Door door, const Request& request) {
  void* block = kAllSites[size_t(site * kDoors + door)](request);
  CHECK(block != nullptr);
  return block;
}

// Branches, not a conditional expression: of `sized ? operator delete(p, n) :
// operator delete(p)` Clang 16 makes both calls.
void Release(void* block, Door door, const Request& request, unsigned way) {
  const auto alignment = std::align_val_t{request.alignment};
  const bool other_form = way % 2 == 0;
  switch (door) {
    case kNew:
      if (other_form) return operator delete(block, request.size);
      return operator delete(block);
    case kNewNothrow:
      if (other_form) return operator delete(block, std::nothrow);
      return operator delete(block);
    case kNewArray:
      if (other_form) return operator delete[](block, request.size);
      return operator delete[](block);
    case kNewAligned:
      if (other_form) return operator delete(block, request.size, alignment);
      return operator delete(block, alignment);
    case kNewArrayAligned:
      if (other_form) return operator delete[](block, request.size, alignment);
      return operator delete[](block, alignment);
    case kNewArrayNothrow:
      if (other_form) return operator delete[](block, std::nothrow);
      return operator delete[](block);
    case kNewAlignedNothrow:
      if (other_form) return operator delete(block, alignment, std::nothrow);
      return operator delete(block, alignment);
    case kNewArrayAlignedNothrow:
      if (other_form) return operator delete[](block, alignment, std::nothrow);
      return operator delete[](block, alignment);
    default:
      return ReleaseAsC(block, door, request, way);
  }
}

}  // namespace model
