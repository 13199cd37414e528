#include "snapshot/encoding.h"

#include <zstd.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "snapshot/format.h"

namespace heaptally {
namespace {

absl::Status NoMemory(uint64_t size) {
  return absl::ResourceExhaustedError(
      absl::StrCat("there is no memory for its ", size, " bytes"));
}

// Sums up in place; unsigned, so that any bytes have a defined result.
void UndoDelta(char* bytes, uint64_t size) {
  uint64_t previous = 0;
  for (uint64_t i = 0; i + 8 <= size; i += 8) {
    uint64_t delta;
    memcpy(&delta, bytes + i, 8);
    previous += delta;
    memcpy(bytes + i, &previous, 8);
  }
}

void Delta(const char* bytes, char* out, uint64_t size) {
  uint64_t previous = 0;
  for (uint64_t i = 0; i + 8 <= size; i += 8) {
    uint64_t value;
    memcpy(&value, bytes + i, 8);
    const uint64_t delta = value - previous;
    memcpy(out + i, &delta, 8);
    previous = value;
  }
}

}  // namespace

absl::StatusOr<SharedBytes> DecodeBytes(absl::Span<const char> stored,
                                        uint32_t encoding, uint64_t size) {
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != size) {
    return absl::DataLossError(
        absl::StrCat("it does not unpack to its ", size, " bytes"));
  }
  std::shared_ptr<char> bytes = AllocateBytes(size);
  if (bytes == nullptr) return NoMemory(size);
  const size_t got =
      ZSTD_decompress(bytes.get(), size, stored.data(), stored.size());
  if (ZSTD_isError(got) != 0 || got != size) {
    return absl::DataLossError(
        absl::StrCat("it does not unpack to its ", size, " bytes"));
  }
  if (encoding == format::kDeltaZstd) UndoDelta(bytes.get(), size);
  return SharedBytes{{bytes.get(), size}, bytes};
}

absl::StatusOr<SharedBytes> EncodeBytes(absl::Span<const char> bytes,
                                        uint32_t encoding, int level) {
  if (encoding == format::kRaw) return SharedBytes{bytes, nullptr};
  std::shared_ptr<char> deltas;
  if (encoding == format::kDeltaZstd) {
    deltas = AllocateBytes(bytes.size());
    if (deltas == nullptr) return NoMemory(bytes.size());
    Delta(bytes.data(), deltas.get(), bytes.size());
    bytes = {deltas.get(), bytes.size()};
  }
  const size_t bound = ZSTD_compressBound(bytes.size());
  std::shared_ptr<char> out = AllocateBytes(bound);
  if (out == nullptr) return NoMemory(bound);
  const size_t size =
      ZSTD_compress(out.get(), bound, bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0) {
    return absl::InternalError(
        absl::StrCat("it cannot be compressed: ", ZSTD_getErrorName(size)));
  }
  return SharedBytes{{out.get(), size}, out};
}

}  // namespace heaptally
