// Where arrays of side headers come from and go back to. An array serves one
// page; its length depends on the bin. Arrays of one bin are cut from chunks of
// 64 KiB; a chunk whose arrays have all come back is given to the system, so
// that the books follow the heap when it shrinks or changes its sizes.
//
// Thread-safe, by a spin lock that is held for some tens of instructions and
// only inside an operation (so no fork finds it held). Not for signal handlers.
// A chunk's addresses stay readable for ever: reading a stale array is
// harmless.
#ifndef HEAPTALLY_ALLOCATOR_HEADER_STORE_H_
#define HEAPTALLY_ALLOCATOR_HEADER_STORE_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

class HeaderStore {
 public:
  // An array of zeros for a page of `bin`; null when memory is refused.
  static uint64_t* Take(uint32_t bin);

  // Takes back an array whose headers are all zero.
  static void Release(uint64_t* headers);

  // In a fork's child: nobody holds the lock.
  static void ResetInForkChild();
};

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_HEADER_STORE_H_
