// Writes the sections of a snapshot to a file descriptor with system calls
// only: columns grow side by side, each through a buffer of its own, with a
// running checksum. Used in the snapshot's child and, when there is none, in
// the program with its threads stopped: no allocation, no locks, no libc state.
// The first failure sticks (see error()); nothing is written after it.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_SINK_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_SINK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "snapshot/checksum.h"
#include "snapshot/format.h"

namespace heaptally {

// What the writer tells and hears while it works; in memory that parent and
// child share.
struct CaptureProgress {
  std::atomic<uint64_t> bytes;
  std::atomic<bool> cancelled;
};

// The output file: positioned writes that never raise a signal.
class CaptureFile {
 public:
  CaptureFile(int fd, CaptureProgress* progress);

  // Gives back an errno, 0 when all is written.
  int Write(const void* data, size_t size, uint64_t offset);
  int SetSize(uint64_t size);

 private:
  const int fd_;
  CaptureProgress* const progress_;
  uint64_t size_limit_;  // RLIMIT_FSIZE: beyond it a write raises SIGXFSZ.
};

// One section in progress. `Begin` it, `Put` elements, then `End`.
class CaptureColumn {
 public:
  void Begin(char* buffer, size_t buffer_size, uint64_t offset);

  template <typename T>
  void Put(CaptureFile& file, T value) {
    if (used_ + sizeof(T) > buffer_size_) Flush(file);
    __builtin_memcpy(buffer_ + used_, &value, sizeof(T));
    used_ += sizeof(T);
  }
  void PutBytes(CaptureFile& file, const void* data, size_t size);

  // Writes what is left. `size` and `checksum` are valid from here.
  void End(CaptureFile& file);

  uint64_t offset() const { return offset_; }
  uint64_t size() const { return flushed_; }
  uint64_t checksum() const { return checksum_; }
  int error() const { return error_; }

 private:
  void Flush(CaptureFile& file);

  char* buffer_ = nullptr;
  size_t buffer_size_ = 0;
  size_t used_ = 0;
  uint64_t offset_ = 0;
  uint64_t flushed_ = 0;
  uint64_t checksum_ = 0;
  int error_ = 0;
  XXH3_state_t hash_;
};

// The section table. It lives in memory that the parent shares with the
// child, so that the parent can finish the file.
class CaptureTable {
 public:
  static constexpr uint32_t kMaxSections = 40;

  void Add(uint32_t kind, uint32_t element_size, const CaptureColumn& column);
  void Add(uint32_t kind, uint32_t element_size, uint64_t offset, uint64_t size,
           uint64_t checksum);

  uint32_t count() const { return count_; }
  const format::SectionEntry* entries() const { return entries_; }

 private:
  uint32_t count_ = 0;
  format::SectionEntry entries_[kMaxSections] = {};
};

inline uint64_t AlignSection(uint64_t offset) {
  return (offset + format::kSectionAlignment - 1) &
         ~(format::kSectionAlignment - 1);
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_SINK_H_
