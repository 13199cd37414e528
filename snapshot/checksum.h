// The checksum of the file format: XXH3, 64 bits, seed 0, compiled in place so
// that the runtime needs no library for it. Safe in every thread and signal.
#ifndef HEAPTALLY_SNAPSHOT_CHECKSUM_H_
#define HEAPTALLY_SNAPSHOT_CHECKSUM_H_

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#ifndef XXH_NO_STDLIB
#define XXH_NO_STDLIB
#endif
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace heaptally {

inline uint64_t Checksum(const void* data, size_t size) {
  return XXH3_64bits(data, size);
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CHECKSUM_H_
