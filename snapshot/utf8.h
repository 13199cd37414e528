// Walking through text of unknown encoding as UTF-8. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_UTF8_H_
#define HEAPTALLY_SNAPSHOT_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace heaptally {

struct Utf8Character {
  size_t size;  // In bytes; 1 if it is not valid.
  bool valid;
};

// The first character of `text`, which is not empty. Overlong forms,
// surrogates and what lies beyond U+10FFFF are not valid.
inline Utf8Character NextCharacter(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return {1, true};
  if (first >= 0xc2 && first <= 0xdf && follows(1)) return {2, true};
  if (first >= 0xe0 && first <= 0xef && follows(1) && follows(2)) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) >= 0xa0;
    if (!overlong && !surrogate) return {3, true};
  }
  if (first >= 0xf0 && first <= 0xf4 && follows(1) && follows(2) &&
      follows(3)) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool beyond = first == 0xf4 && byte(1) >= 0x90;
    if (!overlong && !beyond) return {4, true};
  }
  return {1, false};
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_UTF8_H_
