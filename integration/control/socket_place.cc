#include "integration/control/socket_place.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "accounting/sys_io.h"
#include "integration/control/protocol.h"

namespace heaptally::control {
namespace {

bool IsDirectory(const char* path) {
  struct stat status = {};
  return !sys::Failed(sys::Call(SYS_stat, sys::Arg(path), sys::Arg(&status))) &&
         S_ISDIR(status.st_mode);
}

}  // namespace

// Into directory_.
const char* SocketPlace::Find(const char* directory_option) {
  TextWriter path(directory_, sizeof(directory_) - 1);
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  if (directory_option[0] != '\0') {
    path.Text(directory_option);
  } else if (runtime != nullptr && runtime[0] == '/' && IsDirectory(runtime)) {
    path.Text(runtime).Text(kUnderRuntimeDir);
  } else {
    path.Text(kUnderTmp).Unsigned(
        static_cast<uint64_t>(sys::Call(SYS_geteuid)));
  }
  directory_[path.size()] = '\0';
  if (directory_[0] != '/') return "its path is not absolute";
  return path.cut() ? "its path is too long" : nullptr;
}

const char* SocketPlace::Prepare(const char* directory_option) {
  const char* problem = Find(directory_option);
  if (problem != nullptr) return problem;
  sockaddr_un address;
  size_t size;
  if (!Name(&address, &size)) {
    return "its path is longer than a socket's may be (107 bytes)";
  }
  const intptr_t made = sys::Call(SYS_mkdir, sys::Arg(directory_), 0700);
  if (sys::Failed(made) && made != -EEXIST) return "it cannot be created";
  struct stat status = {};
  if (sys::Failed(sys::Lstat(directory_, &status))) return "it cannot be read";
  if (S_ISLNK(status.st_mode)) return "it is a symbolic link";
  if (!S_ISDIR(status.st_mode)) return "it is not a directory";
  if (status.st_uid != static_cast<uid_t>(sys::Call(SYS_geteuid))) {
    return "it belongs to another user";
  }
  if ((status.st_mode & 0077) != 0) {
    return "other users may enter it (its mode is not 0700)";
  }
  return nullptr;
}

bool SocketPlace::Name(sockaddr_un* address, size_t* address_size) const {
  *address = {};
  address->sun_family = AF_UNIX;
  TextWriter path(address->sun_path, sizeof(address->sun_path) - 1);
  path.Text(directory_).Char('/');
  path.Unsigned(static_cast<uint64_t>(sys::GetPid())).Text(kSocketSuffix);
  *address_size = offsetof(sockaddr_un, sun_path) + path.size() + 1;
  return !path.cut();
}

}  // namespace heaptally::control
