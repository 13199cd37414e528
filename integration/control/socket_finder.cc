#include "integration/control/socket_finder.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "integration/control/client.h"
#include "integration/control/protocol.h"

namespace heaptally::control {
namespace {

bool ProcessExists(pid_t pid) { return kill(pid, 0) == 0 || errno == EPERM; }

std::string SocketPath(const std::string& directory, pid_t pid) {
  return absl::StrCat(directory, "/", pid, kSocketSuffix);
}

// Whose process it is, by the owner of its entry in /proc.
bool OwnerOf(pid_t pid, uid_t* uid) {
  struct stat status = {};
  if (stat(absl::StrCat("/proc/", pid).c_str(), &status) != 0) return false;
  *uid = status.st_uid;
  return true;
}

// The runtime finds XDG_RUNTIME_DIR in the environment; for another user's
// process (root asks) the usual place is tried.
void AddRuntimeDirectories(uid_t uid, std::vector<std::string>* directories) {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  if (uid == geteuid() && runtime != nullptr && runtime[0] == '/') {
    directories->push_back(absl::StrCat(runtime, kUnderRuntimeDir));
  }
  const std::string usual = absl::StrCat("/run/user/", uid, kUnderRuntimeDir);
  if (directories->empty() || directories->front() != usual) {
    directories->push_back(usual);
  }
}

// Only what the user (or root, or we) put there is trusted: another user could
// be waiting in a directory of that name.
bool IsTrusted(const std::string& directory, uid_t uid) {
  struct stat status = {};
  return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_uid == uid || status.st_uid == geteuid());
}

// A connected socket, or −errno.
int Connect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return -ENAMETOOLONG;
  memcpy(address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) !=
      0) {
    const int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

absl::Status NotReached(pid_t pid, uid_t owner, int error) {
  if (!ProcessExists(pid)) {
    return absl::NotFoundError(absl::StrCat("there is no process ", pid));
  }
  if (error == EACCES || (geteuid() != 0 && owner != geteuid())) {
    return absl::PermissionDeniedError(absl::StrCat(
        "process ", pid,
        " belongs to another user; only that user and root may ask it"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "process ", pid,
      " runs, but not under heaptally: start it with `heaptally run -- "
      "PROGRAM` (with --follow if a script or wrapper starts it), or with "
      "control=on in the variable HEAPTALLY if it is linked with it"));
}

pid_t PidOfName(absl::string_view name) {
  pid_t pid = 0;
  if (!absl::ConsumeSuffix(&name, kSocketSuffix) ||
      !absl::SimpleAtoi(name, &pid)) {
    return 0;
  }
  return pid;
}

void CollectFrom(const std::string& directory, std::vector<pid_t>* pids) {
  DIR* open = opendir(directory.c_str());
  if (open == nullptr) return;
  while (const dirent* entry = readdir(open)) {
    const pid_t pid = PidOfName(entry->d_name);
    if (pid <= 0) continue;
    const int fd = Connect(SocketPath(directory, pid));
    if (fd >= 0) {
      close(fd);
      pids->push_back(pid);
    } else if (fd == -ECONNREFUSED && !ProcessExists(pid)) {
      unlink(SocketPath(directory, pid).c_str());
    }
  }
  closedir(open);
}

}  // namespace

std::vector<std::string> SocketDirectories(uid_t uid) {
  std::vector<std::string> directories;
  AddRuntimeDirectories(uid, &directories);
  directories.push_back(absl::StrCat(kUnderTmp, uid));
  return directories;
}

absl::StatusOr<int> ConnectToProcess(pid_t pid, const std::string& directory) {
  if (pid <= 0) return absl::InvalidArgumentError("a process id is positive");
  uid_t owner = geteuid();
  OwnerOf(pid, &owner);
  std::vector<std::string> directories{directory};
  if (directory.empty()) {
    directories = SocketDirectories(owner);
    // A process that gave up root after its start still has its socket where
    // it was put then.
    if (owner != geteuid()) {
      for (std::string& own : SocketDirectories(geteuid())) {
        directories.push_back(std::move(own));
      }
    }
  }
  int worst = ENOENT;
  for (const std::string& candidate : directories) {
    if (!IsTrusted(candidate, owner)) continue;
    const std::string path = SocketPath(candidate, pid);
    const int fd = Connect(path);
    if (fd >= 0) return fd;
    if (fd == -ECONNREFUSED && !ProcessExists(pid)) unlink(path.c_str());
    if (fd == -EACCES) worst = EACCES;
  }
  return NotReached(pid, owner, worst);
}

absl::StatusOr<std::vector<pid_t>> ListProcesses(const std::string& directory) {
  std::vector<pid_t> pids;
  const std::vector<std::string> directories =
      directory.empty() ? SocketDirectories(geteuid())
                        : std::vector<std::string>{directory};
  for (const std::string& candidate : directories) {
    if (IsTrusted(candidate, geteuid())) CollectFrom(candidate, &pids);
  }
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

}  // namespace heaptally::control
