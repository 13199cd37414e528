#include "integration/cli/runtime_library.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace heaptally::cli {
namespace {

constexpr char kName[] = "libheaptally.so";

}  // namespace

absl::StatusOr<std::string> OwnExecutable() {
  std::error_code error;
  const std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read /proc/self/exe (", error.message(),
                     "); is /proc mounted?"));
  }
  return path.string();
}

absl::StatusOr<std::string> FindRuntime(const std::string& executable) {
  const std::filesystem::path folder =
      std::filesystem::path(executable).parent_path();
  const std::vector<std::filesystem::path> candidates = {
      folder.parent_path() / "lib" / kName,
      folder.parent_path() / "lib" / HEAPTALLY_LIBRARY_TRIPLET / kName,
      folder.parent_path() / "lib64" / kName,
      folder / kName,
  };
  std::vector<std::string> tried;
  for (const std::filesystem::path& candidate : candidates) {
    std::error_code error;
    if (std::filesystem::exists(candidate, error)) {
      return CheckRuntime(candidate.string());
    }
    tried.push_back(candidate.string());
  }
  return absl::NotFoundError(
      absl::StrCat("cannot find the runtime ", kName, " (tried ",
                   absl::StrJoin(tried, ", "), "); name it with --runtime"));
}

absl::StatusOr<std::string> CheckRuntime(const std::string& path) {
  std::error_code error;
  const std::string absolute = std::filesystem::canonical(path, error).string();
  if (error || access(absolute.c_str(), R_OK) != 0) {
    return absl::NotFoundError(
        absl::StrCat("cannot read the runtime ", path, ": ",
                     error ? error.message() : std::string(strerror(errno))));
  }
  if (absolute.find_first_of(" :\t") != absolute.npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the runtime's path has a space or a colon, which LD_PRELOAD cannot "
        "express: ",
        absolute, "; copy it elsewhere and name the copy with --runtime"));
  }
  return absolute;
}

}  // namespace heaptally::cli
