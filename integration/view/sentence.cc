#include "integration/view/sentence.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace heaptally::view {

std::string Sentence(absl::string_view text) {
  std::string sentence(text);
  if (sentence.empty()) return "It could not be done.";
  const std::string word = sentence.substr(0, sentence.find(' '));
  if (std::all_of(word.begin(), word.end(), absl::ascii_isalpha)) {
    sentence[0] = absl::ascii_toupper(sentence[0]);
  }
  const char last = sentence.back();
  if (last != '.' && last != '!' && last != '?') sentence += '.';
  return sentence;
}

unsigned HttpStatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 507;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

}  // namespace heaptally::view
