#include "snapshot/capture_to_path.h"

#include <errno.h>

#include "accounting/sys_io.h"

namespace heaptally {
namespace {

CaptureResult Failure(intptr_t result) {
  CaptureResult failure;
  failure.error = static_cast<int>(-result);
  failure.problem = failure.error == ENAMETOOLONG
                        ? "the file name is too long"
                        : "the file cannot be created";
  return failure;
}

}  // namespace

CaptureResult CaptureToPath(const char* path, const CaptureOptions& options) {
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
