// Fuzzes the reader and what is done with a file that it accepts. A mutator
// that knows the layout changes headers, table entries and sections and then
// makes the checksums right, so that the fuzzer gets past them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "snapshot/checksum.h"
#include "snapshot/compare.h"
#include "snapshot/reader.h"
#include "snapshot/report.h"
#include "snapshot/section.h"
#include "snapshot/shared_bytes.h"
#include "snapshot/snapshot_equal.h"
#include "snapshot/writer.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace heaptally {
namespace {

using format::Header;
using format::SectionEntry;

constexpr uint64_t kMaxDecoded = uint64_t{4} << 20;

absl::StatusOr<Snapshot> Read(const char* data, size_t size) {
  // Exactly as long as the file, so that a read behind it is seen.
  std::shared_ptr<char> copy = AllocateBytes(size);
  if (size != 0) memcpy(copy.get(), data, size);
  return ReadSnapshotFromBytes("fuzzed", {copy.get(), size}, copy,
                               {.max_decoded_bytes = kMaxDecoded});
}

void Check(bool condition) {
  if (!condition) abort();
}

// Everything that a person could ask of the file.
void Use(const Snapshot& snapshot) {
  for (const GroupBy by :
       {GroupBy::kTraceback, GroupBy::kFunction, GroupBy::kSizeClass}) {
    std::ostringstream out;
    ReportOptions options;
    options.by = by;
    options.top = 3;
    Check(RenderReport(snapshot, options, out).ok());
    Check(ReportJson(snapshot, options, out).ok());
    CompareOptions compare;
    compare.by = by;
    const absl::StatusOr<Comparison> same =
        Compare(snapshot, snapshot, compare);
    Check(same.ok());
    RenderComparison(snapshot, snapshot, *same, out);
    ComparisonJson(snapshot, snapshot, *same, out);
  }
}

bool ReadHeader(const uint8_t* data, size_t size, Header& header) {
  if (size < sizeof(header)) return false;
  memcpy(&header, data, sizeof(header));
  const uint64_t table =
      uint64_t{header.section_count} * header.section_entry_size;
  return header.section_entry_size == sizeof(SectionEntry) &&
         header.section_count <= 64 && header.section_count > 0 &&
         header.section_table_offset <= size &&
         table <= size - header.section_table_offset;
}

bool IsInside(const SectionEntry& entry, size_t size) {
  return entry.offset <= size && entry.stored_size <= size - entry.offset;
}

class Mutation {
 public:
  Mutation(uint8_t* data, size_t size, size_t max_size, uint32_t seed)
      : data_(data), size_(size), max_size_(max_size), random_(seed) {}

  size_t Run() {
    if (!ReadHeader(data_, size_, header_) || random_() % 16 == 0) {
      return LLVMFuzzerMutate(data_, size_, max_size_);
    }
    entries_.resize(header_.section_count);
    memcpy(entries_.data(), data_ + header_.section_table_offset,
           entries_.size() * sizeof(SectionEntry));
    SectionEntry& entry = entries_[random_() % entries_.size()];
    switch (random_() % 8) {
      case 0:
        LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&entry), sizeof(entry),
                         sizeof(entry));
        break;
      case 1:
        LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&header_), sizeof(header_),
                         sizeof(header_));
        if (!ReadHeader(reinterpret_cast<uint8_t*>(&header_), sizeof(header_),
                        header_)) {
          memcpy(data_, &header_, sizeof(header_));
          return size_;
        }
        break;
      case 2:
        Resize(entry);
        break;
      default:
        ChangeInPlace(entry);
    }
    Repair();
    return size_;
  }

 private:
  void ChangeInPlace(const SectionEntry& entry) {
    if (!IsInside(entry, size_) || entry.stored_size == 0) return;
    uint8_t* stored = data_ + entry.offset;
    const size_t element = std::clamp<size_t>(entry.element_size, 1, 24);
    if (entry.stored_size < element || random_() % 2 == 0) {
      LLVMFuzzerMutate(stored, entry.stored_size, entry.stored_size);
      return;
    }
    // One element becomes a small number or that of another element.
    const size_t count = entry.stored_size / element;
    uint8_t* target = stored + (random_() % count) * element;
    if (random_() % 2 == 0) {
      memmove(target, stored + (random_() % count) * element, element);
    } else {
      const uint64_t value = random_() % 40;
      memcpy(target, &value, std::min<size_t>(element, sizeof(value)));
    }
  }

  // The section gets another length, at the end of the file.
  void Resize(SectionEntry& entry) {
    const size_t place = (size_ + 7) & ~size_t{7};
    if (!IsInside(entry, size_) || place + 64 >= max_size_) return;
    const size_t room = std::min<size_t>(max_size_ - place, 2048);
    const size_t kept = std::min<size_t>(entry.stored_size, room);
    std::vector<uint8_t> bytes(data_ + entry.offset,
                               data_ + entry.offset + kept);
    bytes.resize(room);
    const size_t element = std::clamp<size_t>(entry.element_size, 1, 24);
    size_t length = LLVMFuzzerMutate(bytes.data(), kept, room);
    length -= length % element;
    memset(data_ + size_, 0, place - size_);
    memcpy(data_ + place, bytes.data(), length);
    size_ = place + length;
    entry.offset = place;
    entry.stored_size = length;
    if (entry.encoding == format::kRaw) {
      entry.size = length;
      entry.count = length / element;
    }
  }

  void Repair() {
    const uint64_t table_size = entries_.size() * sizeof(SectionEntry);
    if (header_.section_table_offset > size_ ||
        table_size > size_ - header_.section_table_offset ||
        size_ < sizeof(header_)) {
      return;
    }
    for (SectionEntry& entry : entries_) {
      if (!IsInside(entry, size_)) continue;
      entry.checksum = Checksum(data_ + entry.offset, entry.stored_size);
    }
    uint8_t* table = data_ + header_.section_table_offset;
    memcpy(table, entries_.data(), table_size);
    header_.section_table_checksum = Checksum(table, table_size);
    header_.file_size = size_;
    header_.header_checksum =
        Checksum(&header_, offsetof(Header, header_checksum));
    memcpy(data_, &header_, sizeof(header_));
  }

  uint8_t* const data_;
  size_t size_;
  const size_t max_size_;
  std::mt19937 random_;
  Header header_ = {};
  std::vector<SectionEntry> entries_;
};

}  // namespace
}  // namespace heaptally

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return heaptally::Mutation(data, size, max_size, seed).Run();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using heaptally::Check;
  const absl::StatusOr<heaptally::Snapshot> snapshot =
      heaptally::Read(reinterpret_cast<const char*>(data), size);
  if (!snapshot.ok()) {
    // Every fault names the file and the place.
    const std::string message(snapshot.status().message());
    Check(message.rfind("fuzzed: ", 0) == 0);
    Check(message.find(" at offset ") != std::string::npos);
    return 0;
  }
  heaptally::Use(*snapshot);
  const absl::StatusOr<std::string> written =
      heaptally::EncodeSnapshot(*snapshot);
  Check(written.ok());
  const absl::StatusOr<heaptally::Snapshot> again =
      heaptally::Read(written->data(), written->size());
  Check(again.ok() && heaptally::SameContent(*snapshot, *again));
  return 0;
}
