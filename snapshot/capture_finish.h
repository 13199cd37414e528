// The end of a snapshot's file, written by the parent when its child is done:
// facts, capture, section table and, last of all, the header with its magic.
// System calls only.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_FINISH_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_FINISH_H_

#include "snapshot/capture.h"

namespace heaptally {

// Into the room that the child has reserved. Sets `bytes`; gives back an
// errno.
int FinishFile(int fd, CaptureShared* shared, CaptureResult* result);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_FINISH_H_
