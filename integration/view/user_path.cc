#include "integration/view/user_path.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace heaptally::view {

absl::StatusOr<std::string> UserPath(const std::string& text) {
  if (text.empty()) {
    return absl::InvalidArgumentError("the path is empty; name a file");
  }
  if (absl::StrContains(text, '\0')) {
    return absl::InvalidArgumentError(
        "the path has a zero byte in it; name a file without one");
  }
  std::filesystem::path path = text;
  const char* home = getenv("HOME");
  if (absl::StartsWith(text, "~/") && home != nullptr) {
    path = absl::StrCat(home, text.substr(1));
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) {
    return absl::UnavailableError(absl::StrCat(
        "the working folder is gone; give ", text, " as an absolute path"));
  }
  return absolute.lexically_normal().string();
}

}  // namespace heaptally::view
