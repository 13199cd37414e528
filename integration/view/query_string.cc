#include "integration/view/query_string.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace heaptally::view {
namespace {

absl::StatusOr<std::string> Decode(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else if (i + 2 < text.size() && absl::ascii_isxdigit(text[i + 1]) &&
               absl::ascii_isxdigit(text[i + 2])) {
      out += absl::HexStringToBytes(text.substr(i + 1, 2));
      i += 2;
    } else {
      return absl::InvalidArgumentError(
          "the address has a % without two hexadecimal digits behind it");
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<ParameterList> ParseQueryString(absl::string_view text) {
  ParameterList parameters;
  for (const absl::string_view part : absl::StrSplit(text, '&')) {
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const absl::StatusOr<std::string> name = Decode(part.substr(0, equals));
    if (!name.ok()) return name.status();
    const absl::StatusOr<std::string> value =
        equals == absl::string_view::npos ? std::string()
                                          : Decode(part.substr(equals + 1));
    if (!value.ok()) return value.status();
    parameters.emplace_back(*name, *value);
  }
  return parameters;
}

}  // namespace heaptally::view
