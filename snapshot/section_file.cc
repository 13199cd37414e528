#include "snapshot/section_file.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "snapshot/checksum.h"
#include "snapshot/encoding.h"
#include "snapshot/file_io.h"
#include "snapshot/section.h"

namespace heaptally {
namespace {

using format::Header;
using format::SectionEntry;

constexpr absl::string_view kWasCut = "it was cut, copy or take it again";
constexpr uint32_t kMaxSections = 4096;
// A zstd block of four bytes gives at most 128 KiB.
constexpr uint64_t kMaxExpansion = 32768;
constexpr uint64_t kAlwaysAllowed = uint64_t{4} << 30;
constexpr uint64_t kAllowedPerByte = 64;

}  // namespace

absl::Status SectionFile::PlainFault(absl::string_view place, uint64_t offset,
                                     absl::string_view what,
                                     absl::string_view way_out) const {
  return absl::DataLossError(absl::StrCat(path_, ": ", place, " at offset ",
                                          offset, ": ", what, "; ", way_out));
}

absl::Status SectionFile::Fault(const SectionEntry& entry,
                                absl::string_view what,
                                absl::string_view way_out) const {
  return PlainFault(absl::StrCat("section ", SectionName(entry.kind)),
                    entry.offset, what, way_out);
}

absl::Status SectionFile::ElementFault(const SectionEntry& entry,
                                       uint64_t index,
                                       absl::string_view what) const {
  const bool raw = entry.encoding == format::kRaw;
  return PlainFault(absl::StrCat("section ", SectionName(entry.kind)),
                    entry.offset + (raw ? index * entry.element_size : 0),
                    absl::StrCat("element ", index, " ", what), kTakeAgain);
}

absl::StatusOr<SectionFile> SectionFile::Open(const std::string& path,
                                              const ReadOptions& options) {
  absl::StatusOr<SharedBytes> bytes = ReadWholeFile(path);
  if (!bytes.ok()) return bytes.status();
  return FromBytes(path, *std::move(bytes), options);
}

absl::StatusOr<SectionFile> SectionFile::FromBytes(const std::string& path,
                                                   SharedBytes bytes,
                                                   const ReadOptions& options) {
  SectionFile file;
  file.path_ = path;
  file.file_ = std::move(bytes);
  if (absl::Status s = file.CheckHeader(); !s.ok()) return s;
  if (absl::Status s = file.CheckTable(); !s.ok()) return s;
  for (const SectionEntry& entry : file.entries_) {
    if (absl::Status s = file.CheckEntry(entry); !s.ok()) return s;
  }
  if (absl::Status s = file.CheckPlaces(); !s.ok()) return s;
  if (absl::Status s = file.CheckDecodedSize(options); !s.ok()) return s;
  return file;
}

absl::Status SectionFile::CheckHeader() {
  const uint64_t size = file_.bytes.size();
  uint64_t magic = 0;
  memcpy(&magic, file_.bytes.data(), std::min<uint64_t>(size, sizeof(magic)));
  if (size >= sizeof(magic) && magic == 0) {
    return PlainFault("header", 0, "the capture has not finished",
                      "wait for it, or take the snapshot again");
  }
  if (size >= sizeof(magic) && magic != format::kMagic) {
    return PlainFault("header", 0, "this is no heaptally snapshot",
                      "give a file that 'heaptally snapshot' wrote");
  }
  if (size < sizeof(Header)) {
    return PlainFault("header", 0,
                      absl::StrCat("the file has ", size, " of at least ",
                                   sizeof(Header), " bytes"),
                      kWasCut);
  }
  memcpy(&header_, file_.bytes.data(), sizeof(Header));
  const bool sound =
      Checksum(file_.bytes.data(), offsetof(Header, header_checksum)) ==
      header_.header_checksum;
  if (sound && header_.major > format::kMajor) {
    return PlainFault(
        "header", offsetof(Header, major),
        absl::StrCat("version ", header_.major, ".", header_.minor,
                     " is newer than the ", format::kMajor,
                     ".x that this heaptally reads"),
        kUseNewer);
  }
  if (!sound) {
    return PlainFault("header", offsetof(Header, header_checksum),
                      "checksum does not match", kTakeAgain);
  }
  if (header_.major < format::kMajor) {
    return PlainFault("header", offsetof(Header, major),
                      absl::StrCat("there is no version ", header_.major),
                      kTakeAgain);
  }
  if (header_.file_size > size) {
    return PlainFault("header", offsetof(Header, file_size),
                      absl::StrCat("the file has ", size, " of ",
                                   header_.file_size, " bytes"),
                      kWasCut);
  }
  if (header_.file_size < size) {
    return PlainFault(
        "header", offsetof(Header, file_size),
        absl::StrCat("the file has ", size - header_.file_size,
                     " bytes more than the ", header_.file_size,
                     " that were written"),
        "something was added to it, copy or take the snapshot again");
  }
  if (header_.header_size < sizeof(Header) || header_.header_size > size) {
    return PlainFault("header", offsetof(Header, header_size),
                      absl::StrCat("a header of ", header_.header_size,
                                   " bytes does not fit"),
                      kTakeAgain);
  }
  return absl::OkStatus();
}

absl::Status SectionFile::CheckTable() {
  constexpr absl::string_view kTable = "section table";
  const uint64_t offset = header_.section_table_offset;
  const uint64_t entry_size = header_.section_entry_size;
  const uint64_t count = header_.section_count;
  if (entry_size < sizeof(SectionEntry) || entry_size > 4096 ||
      count > kMaxSections) {
    return PlainFault(kTable, offset,
                      absl::StrCat(count, " entries of ", entry_size,
                                   " bytes are no section table"),
                      kTakeAgain);
  }
  const uint64_t size = count * entry_size;
  if (offset < header_.header_size || offset > header_.file_size ||
      size > header_.file_size - offset) {
    return PlainFault(kTable, offset,
                      absl::StrCat("its ", size, " bytes are not inside the ",
                                   header_.file_size, " bytes of the file"),
                      kTakeAgain);
  }
  const char* table = file_.bytes.data() + offset;
  if (Checksum(table, size) != header_.section_table_checksum) {
    return PlainFault(kTable, offset, "checksum does not match", kTakeAgain);
  }
  entries_.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    memcpy(&entries_[i], table + i * entry_size, sizeof(SectionEntry));
  }
  return absl::OkStatus();
}

absl::Status SectionFile::CheckEntry(const SectionEntry& entry) const {
  const SectionInfo* info = FindSection(entry.kind);
  const bool required = (entry.flags & format::kSectionRequired) != 0;
  if (info == nullptr && required) {
    return Fault(entry, "it is needed to read the file, and unknown here",
                 kUseNewer);
  }
  if (entry.offset % format::kSectionAlignment != 0 ||
      entry.offset < header_.header_size || entry.offset > header_.file_size ||
      entry.stored_size > header_.file_size - entry.offset) {
    return Fault(entry, absl::StrCat("its ", entry.stored_size,
                                     " bytes have no place in the ",
                                     header_.file_size, " bytes of the file"));
  }
  if (info == nullptr) return absl::OkStatus();
  if (entry.element_size != info->element_size) {
    return Fault(entry, absl::StrCat("it has elements of ", entry.element_size,
                                     " bytes instead of ", info->element_size));
  }
  uint64_t size = 0;
  if (__builtin_mul_overflow(entry.count, uint64_t{entry.element_size},
                             &size) ||
      size != entry.size) {
    return Fault(entry,
                 absl::StrCat(entry.count, " elements of ", entry.element_size,
                              " bytes are not ", entry.size, " bytes"));
  }
  if (entry.encoding > format::kDeltaZstd ||
      (entry.encoding == format::kDeltaZstd && entry.element_size != 8)) {
    return Fault(entry,
                 absl::StrCat("its encoding ", entry.encoding, " is unknown"),
                 kUseNewer);
  }
  if (entry.encoding == format::kRaw && entry.stored_size != entry.size) {
    return Fault(entry, absl::StrCat(entry.stored_size, " bytes are stored of ",
                                     entry.size));
  }
  if (entry.encoding != format::kRaw &&
      entry.size / kMaxExpansion > entry.stored_size) {
    return Fault(entry, absl::StrCat(entry.stored_size,
                                     " stored bytes cannot hold ", entry.size));
  }
  return absl::OkStatus();
}

absl::Status SectionFile::CheckPlaces() const {
  std::vector<SectionEntry> sorted = entries_;
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto& a, const auto& b) { return a.kind < b.kind; });
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].kind == sorted[i - 1].kind) {
      return Fault(sorted[i], "the file has this section twice");
    }
  }
  SectionEntry table = {};
  table.offset = header_.section_table_offset;
  table.stored_size =
      uint64_t{header_.section_count} * header_.section_entry_size;
  sorted.push_back(table);
  std::erase_if(sorted, [](const auto& e) { return e.stored_size == 0; });
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto& a, const auto& b) { return a.offset < b.offset; });
  for (size_t i = 1; i < sorted.size(); ++i) {
    const SectionEntry& before = sorted[i - 1];
    if (before.offset + before.stored_size <= sorted[i].offset) continue;
    const bool second_is_table = sorted[i].kind == 0;
    const SectionEntry& named = second_is_table ? before : sorted[i];
    const SectionEntry& other = second_is_table ? sorted[i] : before;
    return Fault(named, absl::StrCat("it overlaps ",
                                     other.kind == 0 ? "the section table"
                                                     : SectionName(other.kind),
                                     " at offset ", other.offset));
  }
  return absl::OkStatus();
}

absl::Status SectionFile::CheckDecodedSize(const ReadOptions& options) const {
  uint64_t allowed = options.max_decoded_bytes;
  if (allowed == 0) {
    allowed = kAlwaysAllowed + kAllowedPerByte * header_.file_size;
  }
  uint64_t total = 0;
  for (const SectionEntry& entry : entries_) {
    if (FindSection(entry.kind) == nullptr) continue;
    if (entry.size > allowed - total) {
      return Fault(
          entry,
          absl::StrCat("the sections up to here would take more than ", allowed,
                       " bytes, out of a file of ", header_.file_size),
          "no heaptally writes such a file, do not trust it");
    }
    total += entry.size;
  }
  return absl::OkStatus();
}

const SectionEntry* SectionFile::Find(uint32_t kind) const {
  for (const SectionEntry& entry : entries_) {
    if (entry.kind == kind) return &entry;
  }
  return nullptr;
}

absl::Span<const char> SectionFile::Stored(const SectionEntry& entry) const {
  return file_.bytes.subspan(entry.offset, entry.stored_size);
}

absl::Status SectionFile::CheckChecksum(const SectionEntry& entry) const {
  const absl::Span<const char> stored = Stored(entry);
  if (Checksum(stored.data(), stored.size()) == entry.checksum) {
    return absl::OkStatus();
  }
  return Fault(entry, "checksum does not match");
}

absl::StatusOr<SharedBytes> SectionFile::Decode(
    const SectionEntry& entry) const {
  if (absl::Status s = CheckChecksum(entry); !s.ok()) return s;
  const absl::Span<const char> stored = Stored(entry);
  if (entry.encoding == format::kRaw) return SharedBytes{stored, file_.owner};
  absl::StatusOr<SharedBytes> decoded =
      DecodeBytes(stored, entry.encoding, entry.size);
  if (!decoded.ok()) return Fault(entry, decoded.status().message());
  return decoded;
}

}  // namespace heaptally
