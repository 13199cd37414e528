// Takes a snapshot of this process. Threads are stopped for the length of a
// fork; the child writes the books while the program runs on; the parent then
// finishes the file, header last, so that an unfinished file never looks
// whole. The program hears nothing of the child: no SIGCHLD, no wait().
//
// System calls only: safe in any thread and in the control thread, but not in
// a signal handler. One capture at a time in a process; a second one gets an
// error at once. Nothing is allocated from the measured heap.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_H_

#include <cstddef>
#include <cstdint>

#include "snapshot/capture_sections.h"

namespace heaptally {

struct CaptureResult {
  int error = 0;             // errno; 0: the file is whole
  const char* problem = "";  // the reason as a sentence
  uint64_t pause_ns = 0;     // first thread stopped … all may go on
  uint64_t duration_ns = 0;  // from the call to the last section
  uint64_t bytes = 0;        // size of the file
  uint32_t epoch = 0;        // the epoch that the snapshot closed
  bool quiesced = false;     // all threads stood still: the books are exact
  bool forked = false;       // else written in process, threads waiting
};

// A capture in progress, for a caller that has other things to do meanwhile.
class CaptureJob {
 public:
  CaptureJob() = default;
  CaptureJob(const CaptureJob&) = delete;
  CaptureJob& operator=(const CaptureJob&) = delete;

  // `fd` is a regular file, open for writing; what it held is lost. False: the
  // capture has failed or has already ended, see Finish().
  bool Begin(int fd, const CaptureOptions& options);
  bool running() const { return child_ > 0; }

  // True when the child has ended; with `block`, waits for it.
  bool Poll(bool block);

  uint64_t bytes_written() const;
  void Cancel();

  // Finishes the file. Once, after Begin() failed or Poll() was true.
  CaptureResult Finish();

 private:
  bool Check(int fd);
  bool Prepare(const CaptureOptions& options);
  void Freeze(uintptr_t thread_pointer);
  void Fail(int error, const char* problem);

  int fd_ = -1;
  int child_ = 0;
  bool owns_ = false;
  uint64_t started_ns_ = 0;
  CaptureShared* shared_ = nullptr;
  char* stack_ = nullptr;
  CaptureResult result_;
};

using CaptureObserver = void (*)(void* context, uint64_t bytes_written);

// The whole of it in one call.
CaptureResult Capture(int fd, const CaptureOptions& options,
                      CaptureObserver observer = nullptr,
                      void* context = nullptr);

// One sentence for an errno of a capture.
const char* CaptureProblem(int error);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_H_
