#include "snapshot/capture.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "accounting/process_counters.h"
#include "accounting/quiesce.h"
#include "accounting/raw_clone.h"
#include "accounting/recording.h"
#include "accounting/sys_io.h"
#include "snapshot/capture_child.h"
#include "snapshot/capture_finish.h"

namespace heaptally {
namespace {

// The pid of the process that is taking a snapshot. A fork's child inherits
// its parent's, which is not its own and so counts as none.
std::atomic<int> capturing_pid;

bool Claim() {
  const int self = sys::GetPid();
  int holder = capturing_pid.load(std::memory_order_relaxed);
  return holder != self && capturing_pid.compare_exchange_strong(
                               holder, self, std::memory_order_acquire);
}

void* MapFor(size_t bytes, int flags) {
  void* p = sys::Mmap(bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags);
  return sys::Failed(reinterpret_cast<intptr_t>(p)) ? nullptr : p;
}

const char* RefusedFile(int fd) {
  struct stat file = {};
  if (sys::Failed(sys::Fstat(fd, &file))) {
    return "the snapshot's file descriptor is not open";
  }
  if (!S_ISREG(file.st_mode)) {
    return "a snapshot can only be written to a regular file, not to a pipe, "
           "a socket or a device";
  }
  const intptr_t flags =
      sys::Call(SYS_fcntl, static_cast<uintptr_t>(fd), F_GETFL);
  if ((flags & O_ACCMODE) == O_RDONLY) {
    return "the snapshot's file is open for reading only";
  }
  if ((flags & O_APPEND) != 0) {
    return "the snapshot's file is open for appending, which would scatter it";
  }
  return nullptr;
}

}  // namespace

const char* CaptureProblem(int error) {
  switch (error) {
    case ENOSPC:
      return "the disk is full";
    case EDQUOT:
      return "the disk quota is used up";
    case EFBIG:
      return "the file would be larger than the program's file size limit";
    case ENOMEM:
      return "there is no memory for it";
    case ECANCELED:
      return "whoever asked for it has gone";
    case EIO:
      return "the disk reports an error";
    case EBUSY:
      return "another snapshot is being taken";
    case ECHILD:
      return "the process that was writing it was killed";
    default:
      return "the file cannot be written";
  }
}

void CaptureJob::Fail(int error, const char* problem) {
  if (result_.error != 0) return;
  result_.error = error;
  result_.problem = problem;
}

bool CaptureJob::Check(int fd) {
  fd_ = fd;
  const char* refused = RefusedFile(fd);
  if (refused != nullptr) {
    Fail(EINVAL, refused);
  } else if (!Claim()) {
    Fail(EBUSY, CaptureProblem(EBUSY));
  } else {
    owns_ = true;
  }
  return owns_;
}

bool CaptureJob::Prepare(const CaptureOptions& options) {
  shared_ =
      static_cast<CaptureShared*>(MapFor(sizeof(CaptureShared), MAP_SHARED));
  stack_ = static_cast<char*>(MapFor(kCaptureStackBytes, MAP_PRIVATE));
  if (shared_ == nullptr || stack_ == nullptr) {
    Fail(ENOMEM, CaptureProblem(ENOMEM));
    return false;
  }
  shared_->label_size = options.label_size < CaptureShared::kMaxLabel
                            ? options.label_size
                            : CaptureShared::kMaxLabel;
  __builtin_memcpy(shared_->label, options.label, shared_->label_size);
  return true;
}

// The pause: from here until every thread may go on.
void CaptureJob::Freeze(uintptr_t thread_pointer) {
  CaptureChild child = {fd_, sys::GetPid(), thread_pointer, false, shared_};
  const sys::SignalsBlocked no_signals;
  const uint64_t begin = sys::MonotonicNs();
  {
    Quiesce quiesce;
    result_.quiesced = quiesce.complete();
    if (result_.quiesced) SettlePeak();
    result_.epoch = Recording::RaiseEpoch();
    shared_->moment = {child.parent, result_.epoch, sys::UnixNs()};
    child.ask_jemalloc = result_.quiesced;
    // No flags: an exit signal of 0 keeps SIGCHLD and wait() out of it.
    const intptr_t pid = sys::CloneOnStack(0, stack_ + kCaptureStackBytes,
                                           RunCaptureChild, &child);
    result_.forked = !sys::Failed(pid);
    if (result_.forked) {
      child_ = static_cast<int>(pid);
    } else {
      WriteSections(fd_, shared_);
    }
    // Before the gate opens: then the threads that waited are ready to run, and
    // this one may not get the processor for a while.
    result_.pause_ns = sys::MonotonicNs() - begin;
  }
  // No business of the program's own children.
  sys::Call(SYS_madvise, sys::Arg(shared_), sizeof(CaptureShared),
            MADV_DONTFORK);
}

bool CaptureJob::Begin(int fd, const CaptureOptions& options) {
  started_ns_ = sys::MonotonicNs();
  if (!Check(fd) || !Prepare(options)) return false;
  Freeze(options.thread_pointer);
  return running();
}

bool CaptureJob::Poll(bool block) {
  if (!running()) return true;
  intptr_t result;
  do {
    int status = 0;
    // A program that waits with __WALL may have taken the status: ECHILD. What
    // counts is what the child left in shared memory.
    result =
        sys::Call(SYS_wait4, static_cast<uintptr_t>(child_), sys::Arg(&status),
                  static_cast<unsigned>(__WCLONE) |
                      (block ? 0u : static_cast<unsigned>(WNOHANG)),
                  0);
  } while (result == -EINTR);
  if (result == 0) return false;
  child_ = 0;
  return true;
}

uint64_t CaptureJob::bytes_written() const {
  return shared_->progress.bytes.load(std::memory_order_relaxed);
}

void CaptureJob::Cancel() {
  shared_->progress.cancelled.store(true, std::memory_order_relaxed);
}

CaptureResult CaptureJob::Finish() {
  if (shared_ != nullptr && result_.error == 0) {
    const int error = shared_->error.load(std::memory_order_relaxed);
    if (error != 0) {
      Fail(error, CaptureProblem(error));
    } else if (!shared_->written.load(std::memory_order_acquire)) {
      Fail(ECHILD, CaptureProblem(ECHILD));
    } else {
      result_.duration_ns = sys::MonotonicNs() - started_ns_;
      const int late = FinishFile(fd_, shared_, &result_);
      if (late != 0) Fail(late, CaptureProblem(late));
    }
  }
  if (shared_ != nullptr) sys::Munmap(shared_, sizeof(CaptureShared));
  if (stack_ != nullptr) sys::Munmap(stack_, kCaptureStackBytes);
  shared_ = nullptr;
  stack_ = nullptr;
  if (owns_) capturing_pid.store(0, std::memory_order_release);
  owns_ = false;
  return result_;
}

CaptureResult Capture(int fd, const CaptureOptions& options,
                      CaptureObserver observer, void* context) {
  CaptureJob job;
  if (job.Begin(fd, options)) {
    while (!job.Poll(observer == nullptr)) {
      timespec pause = {0, 20 * 1000 * 1000};
      sys::Call(SYS_nanosleep, sys::Arg(&pause), 0);
      observer(context, job.bytes_written());
    }
  }
  return job.Finish();
}

}  // namespace heaptally
