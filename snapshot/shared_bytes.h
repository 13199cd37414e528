// Bytes together with what keeps them alive. Immutable, so that any thread may
// read them.
#ifndef HEAPTALLY_SNAPSHOT_SHARED_BYTES_H_
#define HEAPTALLY_SNAPSHOT_SHARED_BYTES_H_

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "absl/types/span.h"

namespace heaptally {

struct SharedBytes {
  absl::Span<const char> bytes;
  std::shared_ptr<const void> owner;
};

// `size` uninitialised bytes aligned for any element; null if there is not
// enough memory.
inline std::shared_ptr<char> AllocateBytes(uint64_t size) {
  return {static_cast<char*>(malloc(size == 0 ? 1 : size)), free};
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SHARED_BYTES_H_
