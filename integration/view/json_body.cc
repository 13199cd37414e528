#include "integration/view/json_body.h"

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"

namespace heaptally::view {
namespace {

constexpr int kDeepest = 16;

// The parser's depth is the stack's: a hostile body must not use it up.
bool IsFlat(const std::string& text) {
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepest) return false;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<JsonBody> JsonBody::Parse(const std::string& text) {
  JsonBody body;
  if (absl::StripAsciiWhitespace(text).empty()) return body;
  const nlohmann::json parsed =
      IsFlat(text) ? nlohmann::json::parse(text, nullptr, false)
                   : nlohmann::json(nlohmann::json::value_t::discarded);
  if (!parsed.is_object()) {
    return absl::InvalidArgumentError(
        "the body of the request is no JSON object; send one like {}");
  }
  for (const auto& [key, value] : parsed.items()) {
    if (value.is_string()) {
      body.texts_[key] = value.get<std::string>();
    } else if (value.is_number_integer()) {
      body.numbers_[key] = value.get<int64_t>();
    } else if (value.is_boolean()) {
      body.flags_[key] = value.get<bool>();
    }
  }
  return body;
}

const std::string* JsonBody::Text(const std::string& key) const {
  const auto found = texts_.find(key);
  return found == texts_.end() ? nullptr : &found->second;
}

int64_t JsonBody::Number(const std::string& key) const {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? 0 : found->second;
}

bool JsonBody::Flag(const std::string& key) const {
  const auto found = flags_.find(key);
  return found != flags_.end() && found->second;
}

}  // namespace heaptally::view
