// The JSON object that comes with a POST: texts, numbers and truth values, one
// level deep. Immutable; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_JSON_BODY_H_
#define HEAPTALLY_INTEGRATION_VIEW_JSON_BODY_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace heaptally::view {

class JsonBody {
 public:
  // Members of other kinds are left out; of a repeated one the last counts.
  static absl::StatusOr<JsonBody> Parse(const std::string& text);

  // Null if it is not there or is no text.
  const std::string* Text(const std::string& key) const;
  // 0 and false if it is not there.
  int64_t Number(const std::string& key) const;
  bool Flag(const std::string& key) const;

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, int64_t> numbers_;
  std::map<std::string, bool> flags_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_JSON_BODY_H_
