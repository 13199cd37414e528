// Saving: the snapshot with its name and note, under a temporary name beside
// the target, then renamed.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "integration/view/session.h"
#include "integration/view/token.h"
#include "integration/view/user_path.h"
#include "snapshot/packer.h"
#include "snapshot/reader.h"
#include "snapshot/symbolizer.h"
#include "snapshot/writer.h"

namespace heaptally::view {
namespace {

constexpr char kExtension[] = ".heaptally";
constexpr size_t kMostAtOnce = size_t{1} << 30;

absl::Status CannotWrite(const std::string& path, int error) {
  const char* way_out = "name another file";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    way_out = "make room there or save to another folder";
  } else if (error == ENOENT || error == ENOTDIR) {
    way_out = "make the folder first or name another one";
  } else if (error == EACCES || error == EPERM || error == EROFS) {
    way_out = "save to a folder that you may write to";
  }
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ",
                                             strerror(error), "; ", way_out));
}

// Whether the entry's file says what the entry says, with all names.
bool IsAsEdited(const Entry& entry) {
  return entry.words() == entry.in_file && entry.facts.named;
}

absl::Status IsThere(const std::string& path) {
  return absl::AlreadyExistsError(
      absl::StrCat(path, " is there already; replace it or name another file"));
}

absl::Status CopyBytes(const std::string& from, const std::string& to) {
  const FileHandle in(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  FileHandle out(open(to.c_str(), O_WRONLY | O_CLOEXEC));
  struct stat info = {};
  if (!in.is_open() || !out.is_open() || fstat(in.get(), &info) != 0) {
    return CannotWrite(to, errno);
  }
  auto left = static_cast<size_t>(info.st_size);
  while (left > 0) {
    const ssize_t n =
        sendfile(out.get(), in.get(), nullptr, std::min(left, kMostAtOnce));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return CannotWrite(to, errno);
    if (n == 0) {
      return absl::DataLossError(
          absl::StrCat(from, " became shorter while it was copied"));
    }
    left -= static_cast<size_t>(n);
  }
  return out.Close() ? absl::OkStatus() : CannotWrite(to, errno);
}

// Without replacing what is there. Not every file system can do it in one step.
bool RenameToNew(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (link(from.c_str(), to.c_str()) != 0) return false;
  unlink(from.c_str());
  return true;
}

std::string ThroughLinks(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  std::string found = real == nullptr ? path : real;
  free(real);
  return found;
}

// The error of writing the temporary file, told of the file that was wanted.
absl::Status AboutTarget(const absl::Status& status, const std::string& part,
                         const std::string& target) {
  std::string message(status.message());
  const size_t at = message.find(part);
  if (at != std::string::npos) message.replace(at, part.size(), target);
  return absl::Status(status.code(), message);
}

}  // namespace

absl::Status Session::WriteTo(const Entry& entry, const std::string& path) {
  if (absl::Status status = CheckUnchanged(entry); !status.ok()) return status;
  if (IsAsEdited(entry)) return CopyBytes(entry.file, path);
  std::shared_ptr<const Snapshot> held = cache_.FindSnapshot(entry.id);
  if (held == nullptr) {
    absl::StatusOr<Snapshot> read = ReadSnapshot(entry.file);
    if (!read.ok()) return read.status();
    if (!read->names.present()) {
      const std::lock_guard<std::timed_mutex> turn(naming_);
      Symbolizer symbolizer;
      AddNames(*read, symbolizer).IgnoreError();
    }
    held = std::make_shared<const Snapshot>(*std::move(read));
  }
  Snapshot changed = *held;
  changed.notes.Set("label", entry.words().label);
  changed.notes.Set("note", entry.note);
  return WriteSnapshot(changed, path);
}

absl::StatusOr<std::string> Session::Save(const std::string& id,
                                          const std::string& given,
                                          bool overwrite) {
  const absl::StatusOr<Entry> entry = Ready(id);
  if (!entry.ok()) return entry.status();
  absl::StatusOr<std::string> path = UserPath(given);
  if (!path.ok()) return path.status();
  struct stat info = {};
  if (absl::EndsWith(*path, "/") ||
      (stat(path->c_str(), &info) == 0 && S_ISDIR(info.st_mode))) {
    return absl::InvalidArgumentError(
        absl::StrCat(*path, " is a folder; name a file in it"));
  }
  if (!absl::EndsWith(*path, kExtension)) *path += kExtension;
  const bool there = lstat(path->c_str(), &info) == 0;
  if (there && !overwrite) return IsThere(*path);
  const std::string target = there ? ThroughLinks(*path) : *path;
  const std::string part =
      absl::StrCat(target.substr(0, target.rfind('/') + 1), ".",
                   MakeToken().substr(0, 16), ".part");
  FileHandle made(
      open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!made.is_open()) return CannotWrite(*path, errno);
  if (there && stat(target.c_str(), &info) == 0) {
    // What a file may be read by does not change with its contents.
    static_cast<void>(fchmod(made.get(), info.st_mode & 0777));
  }
  absl::Status status = AboutTarget(WriteTo(*entry, part), part, *path);
  if (status.ok()) {
    const bool renamed = there ? rename(part.c_str(), target.c_str()) == 0
                               : RenameToNew(part, target);
    if (!renamed) {
      status = errno == EEXIST ? IsThere(*path) : CannotWrite(*path, errno);
    }
  }
  if (!status.ok()) {
    unlink(part.c_str());
    return status;
  }
  const FileStamp stamp = FileStamp::Of(target);
  entries_.ChangeEach([&](Entry& other) {
    const bool itself = other.id == id;
    if (itself && ThroughLinks(other.file) == target) {
      other.stamp = stamp;
      other.in_file = entry->words();
    }
    if (itself) {
      other.kept = true;
      other.path = *path;
      other.when_kept = entry->words();
    } else if (other.kept && ThroughLinks(other.path) == target) {
      other.kept = false;  // Its file is another snapshot now.
      other.path.clear();
    }
  });
  return *path;
}

absl::StatusOr<Session::Download> Session::Offer(const std::string& id) {
  const absl::StatusOr<Entry> entry = Ready(id);
  if (!entry.ok()) return entry.status();
  Download download;
  download.name = entry->name;
  download.words = entry->words();
  std::string file = entry->file;
  if (!IsAsEdited(*entry)) {
    file = absl::StrCat(folder_->path(), "/", MakeToken(), ".part");
    const absl::Status status = WriteTo(*entry, file);
    download.file = FileHandle(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    unlink(file.c_str());
    if (!status.ok()) return status;
  } else if (absl::Status status = CheckUnchanged(*entry); !status.ok()) {
    return status;
  } else {
    download.file = FileHandle(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  }
  struct stat info = {};
  if (!download.file.is_open() || fstat(download.file.get(), &info) != 0) {
    return CannotWrite(file, errno);
  }
  download.bytes = static_cast<uint64_t>(info.st_size);
  return download;
}

}  // namespace heaptally::view
