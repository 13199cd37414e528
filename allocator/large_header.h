// What the books keep for a block that has pages of its own. It lives in our
// memory and is found through the entry of the page in which the block begins.
#ifndef HEAPTALLY_ALLOCATOR_LARGE_HEADER_H_
#define HEAPTALLY_ALLOCATOR_LARGE_HEADER_H_

#include <cstddef>
#include <cstdint>

#include "accounting/types.h"

namespace heaptally {

struct LargeHeader {
  // Always 0: seen through the eyes of the small blocks' fast path a large
  // block has no side header, which sends it to the slow path.
  uint64_t zero;
  TracebackId traceback;  // 0: no live block
  uint32_t epoch;
  uint64_t requested;
  uint64_t usable;
  // Bytes of the mapping of our own that the block lies in (see nested.h);
  // 0: the block is jemalloc's.
  uint64_t mapped;
};
static_assert(sizeof(LargeHeader) == 40);

class LargeHeaders {
 public:
  // A zeroed header; null when memory is refused. Lock-free.
  static LargeHeader* Take();
  static void Release(LargeHeader* header);
};

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_LARGE_HEADER_H_
