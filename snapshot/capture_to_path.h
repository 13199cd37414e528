// A snapshot to a file of a given name: written beside it under a temporary
// name and renamed when it is whole, so that the name never stands for a part.
// System calls only; safe in any thread, not in a signal handler.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_TO_PATH_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_TO_PATH_H_

#include "snapshot/capture.h"

namespace heaptally {

inline constexpr size_t kMaxCapturePath = 4096;

// The file gets mode 0666 less the umask. Replaces a file of that name.
CaptureResult CaptureToPath(const char* path, const CaptureOptions& options);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_TO_PATH_H_
