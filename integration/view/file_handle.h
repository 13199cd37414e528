// A file descriptor that somebody owns. Not thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_FILE_HANDLE_H_
#define HEAPTALLY_INTEGRATION_VIEW_FILE_HANDLE_H_

#include <unistd.h>

#include <utility>

namespace heaptally::view {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileHandle() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // close() may be the one to say that a disk is full.
  bool Close() { return close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_ = -1;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_FILE_HANDLE_H_
