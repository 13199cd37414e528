// How the bytes of a section are packed: zstd, for u64 columns optionally of
// the differences between neighbours. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_ENCODING_H_
#define HEAPTALLY_SNAPSHOT_ENCODING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "snapshot/shared_bytes.h"

namespace heaptally {

// `stored` unpacked to exactly `size` bytes. Errors are a part of a sentence.
absl::StatusOr<SharedBytes> DecodeBytes(absl::Span<const char> stored,
                                        uint32_t encoding, uint64_t size);

absl::StatusOr<SharedBytes> EncodeBytes(absl::Span<const char> bytes,
                                        uint32_t encoding, int level);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_ENCODING_H_
