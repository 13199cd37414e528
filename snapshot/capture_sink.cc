#include "snapshot/capture_sink.h"

#include <errno.h>
#include <sys/resource.h>

#include "accounting/sys_io.h"

namespace heaptally {

CaptureFile::CaptureFile(int fd, CaptureProgress* progress)
    : fd_(fd), progress_(progress), size_limit_(UINT64_MAX) {
  rlimit limit = {};
  const intptr_t result =
      sys::Call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, sys::Arg(&limit));
  if (!sys::Failed(result)) size_limit_ = limit.rlim_cur;
}

int CaptureFile::Write(const void* data, size_t size, uint64_t offset) {
  if (progress_->cancelled.load(std::memory_order_relaxed)) return ECANCELED;
  if (offset + size > size_limit_) return EFBIG;
  const intptr_t result = sys::WriteFullyAt(fd_, data, size, offset);
  if (sys::Failed(result)) return static_cast<int>(-result);
  progress_->bytes.fetch_add(size, std::memory_order_relaxed);
  return 0;
}

int CaptureFile::SetSize(uint64_t size) {
  if (size > size_limit_) return EFBIG;
  const intptr_t result =
      sys::Call(SYS_ftruncate, static_cast<uintptr_t>(fd_), size);
  return sys::Failed(result) ? static_cast<int>(-result) : 0;
}

void CaptureColumn::Begin(char* buffer, size_t buffer_size, uint64_t offset) {
  buffer_ = buffer;
  buffer_size_ = buffer_size;
  used_ = 0;
  offset_ = offset;
  flushed_ = 0;
  error_ = 0;
  XXH3_64bits_reset(&hash_);
}

void CaptureColumn::PutBytes(CaptureFile& file, const void* data, size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size != 0) {
    if (used_ == buffer_size_) Flush(file);
    size_t n = buffer_size_ - used_;
    if (n > size) n = size;
    __builtin_memcpy(buffer_ + used_, p, n);
    used_ += n;
    p += n;
    size -= n;
  }
}

void CaptureColumn::Flush(CaptureFile& file) {
  XXH3_64bits_update(&hash_, buffer_, used_);
  if (error_ == 0) error_ = file.Write(buffer_, used_, offset_ + flushed_);
  flushed_ += used_;
  used_ = 0;
}

void CaptureColumn::End(CaptureFile& file) {
  if (used_ != 0) Flush(file);
  checksum_ = XXH3_64bits_digest(&hash_);
}

void CaptureTable::Add(uint32_t kind, uint32_t element_size,
                       const CaptureColumn& column) {
  Add(kind, element_size, column.offset(), column.size(), column.checksum());
}

void CaptureTable::Add(uint32_t kind, uint32_t element_size, uint64_t offset,
                       uint64_t size, uint64_t checksum) {
  if (count_ == kMaxSections) return;
  format::SectionEntry& entry = entries_[count_++];
  entry.kind = kind;
  entry.encoding = format::kRaw;
  entry.offset = offset;
  entry.stored_size = size;
  entry.size = size;
  entry.count = size / element_size;
  entry.element_size = element_size;
  entry.flags = 0;
  entry.checksum = checksum;
}

}  // namespace heaptally
