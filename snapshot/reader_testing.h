// What the tests of the reader share: a small file, and ways to spoil it. Not
// thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_READER_TESTING_H_
#define HEAPTALLY_SNAPSHOT_READER_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "snapshot/checksum.h"
#include "snapshot/packer.h"
#include "snapshot/reader.h"
#include "snapshot/shared_bytes.h"
#include "snapshot/synthetic.h"
#include "snapshot/writer.h"

namespace heaptally {

inline Snapshot Small(bool named = true) {
  Snapshot s = MakeSyntheticSnapshot({.blocks = 20, .tracebacks = 4});
  SyntheticNamer namer;
  if (named) {
    EXPECT_TRUE(AddNames(s, namer).ok());
  }
  return s;
}

inline std::string Encode(const Snapshot& s, bool pack = false) {
  absl::StatusOr<std::string> bytes = EncodeSnapshot(s, {.pack = pack});
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return *bytes;
}

// Reads a private copy of exactly the file's length, so that a sanitizer sees
// a byte too much.
inline absl::StatusOr<Snapshot> Read(const std::string& bytes,
                                     const ReadOptions& options = {}) {
  auto copy = AllocateBytes(bytes.size());
  memcpy(copy.get(), bytes.data(), bytes.size());
  return ReadSnapshotFromBytes("x.heaptally", {copy.get(), bytes.size()}, copy,
                               options);
}

inline std::string Message(const std::string& bytes,
                           const ReadOptions& options = {}) {
  const absl::StatusOr<Snapshot> s = Read(bytes, options);
  return s.ok() ? "accepted" : std::string(s.status().message());
}

inline format::Header HeaderOf(const std::string& bytes) {
  format::Header header;
  memcpy(&header, bytes.data(), sizeof(header));
  return header;
}

inline void SetHeader(std::string& bytes, format::Header header) {
  header.header_checksum =
      Checksum(&header, offsetof(format::Header, header_checksum));
  memcpy(bytes.data(), &header, sizeof(header));
}

// Changes entries, then makes all checksums right again.
inline void EditTable(std::string& bytes,
                      const std::function<void(format::SectionEntry&)>& edit) {
  format::Header header = HeaderOf(bytes);
  char* table = bytes.data() + header.section_table_offset;
  for (uint32_t i = 0; i < header.section_count; ++i) {
    format::SectionEntry entry;
    memcpy(&entry, table + i * sizeof(entry), sizeof(entry));
    edit(entry);
    memcpy(table + i * sizeof(entry), &entry, sizeof(entry));
  }
  header.section_table_checksum =
      Checksum(table, header.section_count * sizeof(format::SectionEntry));
  SetHeader(bytes, header);
}

inline format::SectionEntry EntryOf(std::string bytes, uint32_t kind) {
  format::SectionEntry found = {};
  EditTable(bytes, [&](format::SectionEntry& e) {
    if (e.kind == kind) found = e;
  });
  return found;
}

// Changes the stored bytes of a section and its checksum.
template <typename T>
inline std::string WithElement(std::string bytes, uint32_t kind, size_t index,
                               T value) {
  EditTable(bytes, [&](format::SectionEntry& e) {
    if (e.kind != kind) return;
    memcpy(bytes.data() + e.offset + index * sizeof(T), &value, sizeof(T));
    e.checksum = Checksum(bytes.data() + e.offset, e.stored_size);
  });
  return bytes;
}

inline std::string WithEntry(
    std::string bytes, uint32_t kind,
    const std::function<void(format::SectionEntry&)>& edit) {
  EditTable(bytes, [&](format::SectionEntry& e) {
    if (e.kind == kind) edit(e);
  });
  return bytes;
}

// A message about a section, with the way out for damage.
inline std::string Damaged(const std::string& bytes, uint32_t kind,
                           size_t shift, absl::string_view name,
                           absl::string_view what) {
  return absl::StrCat(
      "x.heaptally: section ", name, " at offset ",
      EntryOf(bytes, kind).offset + shift, ": ", what,
      "; the file is damaged there, take or copy the snapshot again");
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_READER_TESTING_H_
