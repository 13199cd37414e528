#include "snapshot/key_values.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace heaptally {
namespace {

constexpr char kHex[] = "0123456789abcdef";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string EscapeValue(absl::string_view value) {
  std::string text;
  text.reserve(value.size());
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && c != '%') {
      text.push_back(c);
      continue;
    }
    text.push_back('%');
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

absl::StatusOr<std::string> UnescapeValue(absl::string_view text) {
  std::string value;
  value.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) {
      return absl::DataLossError("has a control character");
    }
    if (text[i] != '%') {
      value.push_back(text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return absl::DataLossError("has a '%' without two hex digits");
    }
    value.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return value;
}

absl::StatusOr<KeyValues> KeyValues::Parse(absl::string_view text) {
  KeyValues result;
  size_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const size_t end = text.find('\n');
    if (end == absl::string_view::npos) {
      return absl::DataLossError(
          absl::StrCat("line ", line_number, " does not end"));
    }
    const absl::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const size_t equals = line.find('=');
    if (equals == absl::string_view::npos || equals == 0) {
      return absl::DataLossError(
          absl::StrCat("line ", line_number, " is no key=value"));
    }
    const absl::string_view key = line.substr(0, equals);
    absl::StatusOr<std::string> value = UnescapeValue(line.substr(equals + 1));
    if (!value.ok()) {
      return absl::DataLossError(
          absl::StrCat("line ", line_number, " ", value.status().message()));
    }
    for (const char c : key) {
      if (!absl::ascii_isgraph(static_cast<unsigned char>(c))) {
        return absl::DataLossError(
            absl::StrCat("line ", line_number, " has a key that is no word"));
      }
    }
    // A bound keeps the search for doubles, and every look-up, cheap.
    if (result.entries_.size() >= 1000) {
      return absl::DataLossError("there are more than 1000 keys");
    }
    if (result.Has(key)) {
      return absl::DataLossError(absl::StrCat(
          "line ", line_number, " gives the key ", key, " a second time"));
    }
    result.entries_.emplace_back(std::string(key), *std::move(value));
  }
  return result;
}

std::string KeyValues::Format() const {
  std::string text;
  for (const auto& [key, value] : entries_) {
    absl::StrAppend(&text, key, "=", EscapeValue(value), "\n");
  }
  return text;
}

void KeyValues::Set(absl::string_view key, absl::string_view value) {
  for (auto& entry : entries_) {
    if (entry.first == key) {
      entry.second = std::string(value);
      return;
    }
  }
  entries_.emplace_back(std::string(key), std::string(value));
}

void KeyValues::Set(absl::string_view key, uint64_t value) {
  Set(key, absl::StrCat(value));
}

const std::string* KeyValues::Find(absl::string_view key) const {
  for (const auto& entry : entries_) {
    if (entry.first == key) return &entry.second;
  }
  return nullptr;
}

absl::string_view KeyValues::Text(absl::string_view key) const {
  const std::string* value = Find(key);
  return value == nullptr ? absl::string_view() : absl::string_view(*value);
}

uint64_t KeyValues::Number(absl::string_view key) const {
  uint64_t number = 0;
  return absl::SimpleAtoi(Text(key), &number) ? number : 0;
}

bool KeyValues::IsBadNumber(absl::string_view key) const {
  uint64_t number = 0;
  return Has(key) && !absl::SimpleAtoi(Text(key), &number);
}

}  // namespace heaptally
