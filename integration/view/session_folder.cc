#include "integration/view/session_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "snapshot/text_format.h"

namespace heaptally::view {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "view-";
constexpr char kLock[] = "/lock";
constexpr char kGate[] = "/view.lock";  // In the folder of all sessions.
constexpr char kExtension[] = ".heaptally";
// Between its making and its locking a folder looks abandoned.
constexpr time_t kYoungSeconds = 10;

struct Left {
  uint64_t tools = 0;
  uint64_t snapshots = 0;
  uint64_t bytes = 0;
};

// Ours, and closed to all others.
absl::Status CheckOwn(const std::string& folder) {
  struct stat info = {};
  if (lstat(folder.c_str(), &info) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot use the folder ", folder, ": ", strerror(errno)));
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & 077) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        folder,
        " is not a folder of yours that is closed to all others; "
        "remove it, or set XDG_RUNTIME_DIR to a folder of your own"));
  }
  return absl::OkStatus();
}

std::string BasePath() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  struct stat info = {};
  if (runtime != nullptr && runtime[0] == '/' && stat(runtime, &info) == 0 &&
      S_ISDIR(info.st_mode) && access(runtime, W_OK | X_OK) == 0) {
    return absl::StrCat(runtime, "/heaptally");
  }
  return absl::StrCat("/tmp/heaptally-", geteuid());
}

absl::StatusOr<std::string> MakeBase() {
  const std::string base = BasePath();
  if (mkdir(base.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::UnavailableError(absl::StrCat(
        "cannot make the folder ", base, " for snapshots that are not saved: ",
        strerror(errno), "; set XDG_RUNTIME_DIR to a folder of your own"));
  }
  if (absl::Status status = CheckOwn(base); !status.ok()) return status;
  return base;
}

bool IsAbandoned(const fs::path& folder) {
  struct stat info = {};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      info.st_uid != geteuid()) {
    return false;
  }
  const FileHandle lock(
      open((folder.string() + kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!lock.is_open()) return info.st_mtime + kYoungSeconds < time(nullptr);
  return flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

void Remove(const fs::path& folder, Left& left) {
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) {
    if (!absl::EndsWith(file.path().string(), kExtension)) continue;
    ++left.snapshots;
    left.bytes += file.file_size(ignored);
  }
  ++left.tools;
  fs::remove_all(folder, ignored);
}

std::string RemoveAbandoned(const std::string& base) {
  Left left;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(base, ignored)) {
    if (absl::StartsWith(entry.path().filename().string(), kPrefix) &&
        IsAbandoned(entry.path())) {
      Remove(entry.path(), left);
    }
  }
  if (left.tools == 0) return "";
  return absl::StrCat(
      left.tools == 1 ? "A heaptally view was killed"
                      : absl::StrCat(left.tools, " heaptally view were killed"),
      " before; ",
      left.snapshots == 0
          ? "nothing unsaved was lost, what it left was removed."
          : absl::StrCat(left.snapshots,
                         left.snapshots == 1 ? " snapshot" : " snapshots",
                         " in its session folder (", BytesText(left.bytes),
                         left.snapshots == 1 ? ") was" : ") were",
                         " removed."));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SessionFolder>> SessionFolder::Create() {
  const absl::StatusOr<std::string> base = MakeBase();
  if (!base.ok()) return base.status();
  // One tool at a time: another that starts now must not take a folder that is
  // made but not yet locked for an abandoned one.
  const FileHandle gate(open((*base + kGate).c_str(),
                             O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!gate.is_open() || flock(gate.get(), LOCK_EX) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot lock ", *base, kGate, ": ", strerror(errno)));
  }
  std::unique_ptr<SessionFolder> folder(new SessionFolder);
  folder->recovered_ = RemoveAbandoned(*base);
  std::string path = absl::StrCat(*base, "/", kPrefix, "XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot make a folder in ", *base, ": ", strerror(errno),
                     "; make room there, or set XDG_RUNTIME_DIR to a folder of "
                     "your own"));
  }
  folder->path_ = path;
  folder->lock_ = FileHandle(open((path + kLock).c_str(),
                                  O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!folder->lock_.is_open() ||
      flock(folder->lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot lock ", path, ": ", strerror(errno)));
  }
  return folder;
}

SessionFolder::~SessionFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string SessionFolder::FileOf(absl::string_view entry) const {
  return absl::StrCat(path_, "/", entry, kExtension);
}

absl::StatusOr<FileHandle> SessionFolder::NamelessFile() const {
  std::string pattern = path_ + "/raw-XXXXXX";
  FileHandle file(mkostemp(pattern.data(), O_CLOEXEC));
  if (!file.is_open()) {
    return absl::UnavailableError(
        absl::StrCat("cannot write to ", path_, ": ", strerror(errno)));
  }
  unlink(pattern.c_str());
  return file;
}

uint64_t SessionFolder::FreeBytes() const {
  struct statvfs info = {};
  if (statvfs(path_.c_str(), &info) != 0) return 0;
  return static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace heaptally::view
