// The text sections of a snapshot: lines `key=value`, in order. Bytes below
// 0x20, 0x7f and '%' in values are written as %XX. Not thread-safe while it is
// being changed.
#ifndef HEAPTALLY_SNAPSHOT_KEY_VALUES_H_
#define HEAPTALLY_SNAPSHOT_KEY_VALUES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace heaptally {

class KeyValues {
 public:
  // Errors are a part of a sentence, "line 3 has no '='", for the caller to put
  // the place before it.
  static absl::StatusOr<KeyValues> Parse(absl::string_view text);
  std::string Format() const;

  // Adds the key at the end or replaces its value where it stands.
  void Set(absl::string_view key, absl::string_view value);
  void Set(absl::string_view key, uint64_t value);

  bool Has(absl::string_view key) const { return Find(key) != nullptr; }
  // Empty if the key is not there.
  absl::string_view Text(absl::string_view key) const;
  // 0 if the key is not there or is not a decimal number below 2^64.
  uint64_t Number(absl::string_view key) const;
  // Whether the key is there with something that is not such a number.
  bool IsBadNumber(absl::string_view key) const;

  const std::vector<std::pair<std::string, std::string>>& entries() const {
    return entries_;
  }
  friend bool operator==(const KeyValues& a, const KeyValues& b) {
    return a.entries_ == b.entries_;
  }

 private:
  const std::string* Find(absl::string_view key) const;

  std::vector<std::pair<std::string, std::string>> entries_;
};

// The escaping of values, also used for paths of modules.
std::string EscapeValue(absl::string_view value);
absl::StatusOr<std::string> UnescapeValue(absl::string_view text);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_KEY_VALUES_H_
