#include "integration/view/download_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace heaptally::view {
namespace {

constexpr size_t kLongest = 100;

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
         c == '_' || c == '.' || c == '+';
}

}  // namespace

std::string AttachmentHeader(absl::string_view name) {
  absl::ConsumeSuffix(&name, ".heaptally");
  name = name.substr(0, kLongest);
  std::string plain, encoded;
  for (const char c : name) {
    const bool separates = c == '/' || c == '\\' ||
                           static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    plain += IsPlain(c) || c == ' ' ? c : '_';
    if (IsPlain(c) && c != '+') {
      encoded += c;
    } else {
      absl::StrAppend(&encoded, "%",
                      absl::Hex(separates ? '_' : static_cast<unsigned char>(c),
                                absl::kZeroPad2));
    }
  }
  while (!plain.empty() && plain[0] == '.') {
    plain.erase(0, 1);
    encoded.erase(0, 1);
  }
  if (plain.empty()) plain = encoded = "snapshot";
  return absl::StrCat("attachment; filename=\"", plain,
                      ".heaptally\"; filename*=UTF-8''", encoded, ".heaptally");
}

}  // namespace heaptally::view
