// Call sites that a checker can tell apart by name: one function for each
// number and door, each with one call of the door in it.
// Thread-safe; allocates through the doors only.
#ifndef HEAPTALLY_TESTS_MODEL_SITES_H_
#define HEAPTALLY_TESTS_MODEL_SITES_H_

#include <cstddef>

namespace model {

enum Door : int {
  kMalloc,
  kCalloc,
  kRealloc,
  kReallocarray,
  kAlignedAlloc,
  kMemalign,
  kPosixMemalign,
  kValloc,
  kPvalloc,
  kStrdup,
  kNew,
  kNewNothrow,
  kNewArray,
  kNewAligned,
  kNewArrayAligned,
  kNewArrayNothrow,
  kNewAlignedNothrow,
  kNewArrayAlignedNothrow,
  kDoors,
};

inline constexpr int kSites = 20;
inline constexpr int kKeys = kSites * kDoors;

// What a door is asked for. `old` is the block that realloc and reallocarray
// are to change, else null. `text` is what strdup copies.
struct Request {
  size_t size = 0;
  size_t alignment = 16;
  void* old = nullptr;
  const char* text = nullptr;
};

// Makes `request` fit for `door` (strdup copies texts, pvalloc takes pages,
// operator new at least a byte) and returns the bytes that it asks for.
size_t Fit(Door door, Request* request);

// Calls `door` from call site `site`.
void* Allocate(int site, Door door, const Request& request);

// Frees in one of the ways that fit the door; `way` chooses.
void Release(void* block, Door door, const Request& request, unsigned way);

}  // namespace model

#endif  // HEAPTALLY_TESTS_MODEL_SITES_H_
