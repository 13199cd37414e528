#include "integration/view/page.h"

#include <zlib.h>

#include <array>

#include "absl/strings/ascii.h"

extern "C" {
extern const char heaptally_page_begin[];
extern const char heaptally_page_end[];
extern const char heaptally_policy_begin[];
extern const char heaptally_policy_end[];
}

namespace heaptally::view {
namespace {

constexpr int kWindowOfGzip = 15 + 16;

absl::string_view Between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

absl::string_view PageGzipped() {
  return Between(heaptally_page_begin, heaptally_page_end);
}

std::string PagePlain() {
  const absl::string_view packed = PageGzipped();
  std::string plain;
  z_stream stream = {};
  if (inflateInit2(&stream, kWindowOfGzip) != Z_OK) return plain;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::array<char, 65536> piece;
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    result = inflate(&stream, Z_NO_FLUSH);
    plain.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return plain;
}

absl::string_view PagePolicy() {
  static const absl::string_view policy = absl::StripAsciiWhitespace(
      Between(heaptally_policy_begin, heaptally_policy_end));
  return policy;
}

}  // namespace heaptally::view
