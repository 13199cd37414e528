#include "snapshot/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace heaptally {
namespace {

// Linux moves at most this much in one call.
constexpr size_t kMaxTransfer = size_t{1} << 30;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  // close() may be the one to say that a network folder is full.
  bool Close() { return close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

absl::string_view WayOut(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "; make room there or write to another folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; write to a folder that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "; make the folder first or write to another one";
    default:
      return "";
  }
}

absl::Status WriteFault(const std::string& path, int error) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ",
                                             strerror(error), WayOut(error)));
}

absl::Status ReadFault(const std::string& path, absl::string_view why) {
  return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", why));
}

bool WriteAll(int fd, absl::Span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        write(fd, bytes.data(), std::min(bytes.size(), kMaxTransfer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Creates a file beside `path` that nobody has; its name goes to `name`.
int CreateBeside(const std::string& path, std::string& name) {
  const std::string folder = FolderOf(path);
  const size_t slash = path.rfind('/');
  const std::string base =
      path.substr(slash == std::string::npos ? 0 : slash + 1, 200);
  for (int attempt = 0;; ++attempt) {
    name = absl::StrCat(folder, "/.", base, ".", getpid(), ".", attempt);
    const int fd =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST || attempt == 1000) return fd;
  }
}

bool WritePieces(FileDescriptor& fd,
                 absl::Span<const absl::Span<const char>> pieces, bool sync) {
  for (const absl::Span<const char> piece : pieces) {
    if (!WriteAll(fd.get(), piece)) return false;
  }
  if (sync && fsync(fd.get()) != 0) return false;
  return fd.Close();
}

}  // namespace

absl::StatusOr<SharedBytes> ReadWholeFile(const std::string& path) {
  // O_NONBLOCK: a named pipe must not make us wait.
  const FileDescriptor fd(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return ReadFault(path, strerror(errno));
  struct stat info = {};
  if (fstat(fd.get(), &info) != 0) return ReadFault(path, strerror(errno));
  if (S_ISDIR(info.st_mode)) return ReadFault(path, "it is a folder");
  if (!S_ISREG(info.st_mode)) return ReadFault(path, "it is no regular file");
  const auto size = static_cast<size_t>(info.st_size);
  std::shared_ptr<char> bytes = AllocateBytes(size);
  if (bytes == nullptr) {
    return ReadFault(path,
                     absl::StrCat("there is no memory for ", size, " bytes"));
  }
  size_t got = 0;
  while (got < size) {
    const ssize_t n =
        read(fd.get(), bytes.get() + got, std::min(size - got, kMaxTransfer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ReadFault(path, strerror(errno));
    if (n == 0) break;  // It shrank; the header knows how long it should be.
    got += static_cast<size_t>(n);
  }
  return SharedBytes{{bytes.get(), got}, bytes};
}

absl::Status ReplaceFile(const std::string& path_given,
                         absl::Span<const absl::Span<const char>> pieces,
                         bool sync) {
  // Through links, as when a file is written in place.
  std::string path = path_given;
  struct stat old = {};
  const bool replaces = stat(path.c_str(), &old) == 0;
  if (replaces) {
    if (S_ISDIR(old.st_mode)) return WriteFault(path, EISDIR);
    if (!S_ISREG(old.st_mode)) {
      return absl::UnavailableError(absl::StrCat(
          "cannot write ", path, ": it is no regular file; name another one"));
    }
    char* const real = realpath(path.c_str(), nullptr);
    if (real != nullptr) path = real;
    free(real);
  }
  std::string temporary;
  FileDescriptor fd(CreateBeside(path, temporary));
  if (fd.get() < 0) return WriteFault(path_given, errno);
  const bool written =
      (!replaces || fchmod(fd.get(), old.st_mode & 07777) == 0) &&
      WritePieces(fd, pieces, sync) &&
      rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const int error = errno;
    unlink(temporary.c_str());
    return WriteFault(path, error);
  }
  if (sync) {
    const FileDescriptor folder(
        open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0 || fsync(folder.get()) != 0) {
      return WriteFault(path, errno);
    }
  }
  return absl::OkStatus();
}

}  // namespace heaptally
