#include "snapshot/capture_finish.h"

#include "accounting/sys_io.h"
#include "snapshot/checksum.h"

namespace heaptally {
namespace {

constexpr size_t kCaptureTextBytes = 512;

class FileFinisher {
 public:
  FileFinisher(int fd, CaptureShared* shared)
      : file_(fd, &shared->progress),
        shared_(shared),
        offset_(shared->tail_offset) {}

  int Run(CaptureResult* result) {
    AddJemalloc();
    AddText(format::kFacts, shared_->facts, shared_->facts_size);
    AddCapture(result);
    WriteTable();
    return error_;
  }

 private:
  // The child leaves room for this behind its facts.
  void AddJemalloc() {
    const bool known = shared_->has_jemalloc.load(std::memory_order_acquire);
    TextWriter out(shared_->facts + shared_->facts_size, kJemallocFactsBytes);
    out.Fact("jemalloc.allocated", known ? shared_->jemalloc_allocated : 0);
    out.Fact("jemalloc.active", known ? shared_->jemalloc_active : 0);
    out.Fact("jemalloc.resident", known ? shared_->jemalloc_resident : 0);
    out.Fact("jemalloc.mapped", known ? shared_->jemalloc_mapped : 0);
    shared_->facts_size += out.size();
  }

  // The text names the size of the file that it is part of.
  void AddCapture(CaptureResult* result) {
    char text[kCaptureTextBytes];
    size_t size = 0;
    offset_ = AlignSection(offset_);
    for (uint64_t end = 0; end != result->bytes || size == 0;) {
      result->bytes = end;
      TextWriter out(text, sizeof(text));
      WriteCapture(out, *result);
      size = out.size();
      end = AlignSection(offset_ + size) +
            (shared_->table.count() + 1) * sizeof(format::SectionEntry);
    }
    AddText(format::kCapture, text, size);
  }

  static void WriteCapture(TextWriter& out, const CaptureResult& result) {
    out.Fact("pause_ns", result.pause_ns);
    out.Fact("duration_ns", result.duration_ns);
    out.Fact("bytes", result.bytes);
    out.Fact("method", result.forked ? "fork" : "in_process");
    out.Fact("quiesced", result.quiesced ? 1u : 0u);
  }

  void AddText(uint32_t kind, const char* text, size_t size) {
    offset_ = AlignSection(offset_);
    Write(text, size, offset_);
    shared_->table.Add(kind, 1, offset_, size, Checksum(text, size));
    offset_ += size;
  }

  void WriteTable() {
    const CaptureTable& table = shared_->table;
    const size_t bytes = table.count() * sizeof(format::SectionEntry);
    format::Header header = {};
    header.magic = format::kMagic;
    header.major = format::kMajor;
    header.minor = format::kMinor;
    header.header_size = sizeof(header);
    header.section_count = table.count();
    header.section_entry_size = sizeof(format::SectionEntry);
    header.section_table_offset = AlignSection(offset_);
    header.file_size = header.section_table_offset + bytes;
    header.section_table_checksum = Checksum(table.entries(), bytes);
    header.header_checksum =
        Checksum(&header, offsetof(format::Header, header_checksum));
    Write(table.entries(), bytes, header.section_table_offset);
    if (error_ == 0) error_ = file_.SetSize(header.file_size);
    Write(&header, sizeof(header), 0);
  }

  void Write(const void* data, size_t size, uint64_t offset) {
    if (error_ == 0) error_ = file_.Write(data, size, offset);
  }

  CaptureFile file_;
  CaptureShared* const shared_;
  uint64_t offset_;
  int error_ = 0;
};

}  // namespace

int FinishFile(int fd, CaptureShared* shared, CaptureResult* result) {
  return FileFinisher(fd, shared).Run(result);
}

}  // namespace heaptally
