#include "snapshot/capture_to_path.h"

#include <errno.h>

#include "accounting/sys_io.h"

namespace heaptally {
namespace {

// Follows links to what the snapshot is to replace. False if that is there and
// no regular file: a device or pipe must not be renamed over.
bool FollowLinks(const char* path, char* out, size_t size) {
  const int fd = sys::Open(path, O_PATH);
  if (sys::Failed(fd)) {  // not there yet, or the creation will say why
    TextWriter(out, size).Text(path).Char('\0');
    return true;
  }
  struct stat info;
  const bool regular =
      !sys::Failed(sys::Fstat(fd, &info)) && S_ISREG(info.st_mode);
  char link[32];
  TextWriter(link, sizeof(link))
      .Text("/proc/self/fd/")
      .Unsigned(static_cast<uint64_t>(fd))
      .Char('\0');
  const intptr_t n =
      sys::Call(SYS_readlink, sys::Arg(link), sys::Arg(out), size - 1);
  if (n > 0) {
    out[n] = '\0';
  } else {
    TextWriter(out, size).Text(path).Char('\0');
  }
  sys::Close(fd);
  return regular;
}

CaptureResult Failure(intptr_t result) {
  CaptureResult failure;
  failure.error = static_cast<int>(-result);
  switch (failure.error) {
    case ENAMETOOLONG:
      failure.problem = "the file name is too long";
      break;
    case EINVAL:
      failure.problem = "it is no regular file; name another one";
      break;
    default:
      failure.problem = "the file cannot be created";
  }
  return failure;
}

}  // namespace

CaptureResult CaptureToPath(const char* name_given,
                            const CaptureOptions& options) {
  char path[kMaxCapturePath];
  if (TextLength(name_given) >= kMaxCapturePath) return Failure(-ENAMETOOLONG);
  if (!FollowLinks(name_given, path, sizeof(path))) return Failure(-EINVAL);
  char temporary[kMaxCapturePath];
  TextWriter name(temporary, sizeof(temporary));
  name.Text(path).Text(".tmp-").Unsigned(static_cast<uint64_t>(sys::GetTid()));
  name.Char('\0');
  if (name.cut()) return Failure(-ENAMETOOLONG);
  // One that a killed process has left. Never written through: O_EXCL.
  sys::Call(SYS_unlink, sys::Arg(temporary));
  const int fd =
      sys::Open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (sys::Failed(fd)) return Failure(fd);
  CaptureResult result = Capture(fd, options);
  sys::Close(fd);
  if (result.error == 0) {
    const intptr_t renamed =
        sys::Call(SYS_rename, sys::Arg(temporary), sys::Arg(path));
    if (sys::Failed(renamed)) result = Failure(renamed);
  }
  if (result.error != 0) sys::Call(SYS_unlink, sys::Arg(temporary));
  return result;
}

}  // namespace heaptally
