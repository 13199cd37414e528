#include "integration/cli/raw_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

namespace heaptally::cli {
namespace {

absl::string_view WayOut(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "; make the folder first or name another one with -o";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; name a file in a folder that you may write to with -o";
    case ENOSPC:
    case EDQUOT:
      return "; make room there or name another folder with -o";
    default:
      return "";
  }
}

}  // namespace

absl::StatusOr<RawFile> RawFile::CreateFor(const std::string& target) {
  struct stat info = {};
  if (target.empty()) {
    return absl::InvalidArgumentError("the name of the file is empty");
  }
  if (stat(target.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(target, " is a folder; name a file in it"));
  }
  const std::filesystem::path folder =
      std::filesystem::path(target).parent_path();
  std::string pattern = (folder / ".heaptally-XXXXXX").string();
  const int fd = mkostemp(pattern.data(), O_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    return absl::UnavailableError(absl::StrCat("cannot write ", target, ": ",
                                               strerror(error), WayOut(error)));
  }
  unlink(pattern.c_str());
  return RawFile(fd);
}

RawFile::RawFile(RawFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

RawFile::~RawFile() {
  if (fd_ >= 0) close(fd_);
}

std::string RawFile::path() const {
  return absl::StrCat("/proc/self/fd/", fd_);
}

}  // namespace heaptally::cli
