// A `.heaptally` file as header and sections, before anything is known about
// what the sections say: reads the bytes, checks header and section table,
// decodes a section on demand. Immutable once made; thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_SECTION_FILE_H_
#define HEAPTALLY_SNAPSHOT_SECTION_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/format.h"
#include "snapshot/reader.h"
#include "snapshot/shared_bytes.h"

namespace heaptally {

// The ways out that a message ends with.
inline constexpr absl::string_view kTakeAgain =
    "the file is damaged there, take or copy the snapshot again";
inline constexpr absl::string_view kUseNewer =
    "open it with the heaptally that wrote it or a newer one";

class SectionFile {
 public:
  static absl::StatusOr<SectionFile> Open(const std::string& path,
                                          const ReadOptions& options);
  static absl::StatusOr<SectionFile> FromBytes(const std::string& path,
                                               SharedBytes bytes,
                                               const ReadOptions& options);

  const std::string& path() const { return path_; }
  // What keeps the bytes of Stored() alive.
  const std::shared_ptr<const void>& owner() const { return file_.owner; }
  const format::Header& header() const { return header_; }
  absl::Span<const format::SectionEntry> entries() const { return entries_; }
  // Null if the file has no such section.
  const format::SectionEntry* Find(uint32_t kind) const;

  // The bytes as they are stored, checksum unchecked.
  absl::Span<const char> Stored(const format::SectionEntry& entry) const;
  // Checks the checksum and decodes; aligned for any element.
  absl::StatusOr<SharedBytes> Decode(const format::SectionEntry& entry) const;
  absl::Status CheckChecksum(const format::SectionEntry& entry) const;

  // "PATH: section NAME at offset N: WHAT; WAY_OUT".
  absl::Status Fault(const format::SectionEntry& entry, absl::string_view what,
                     absl::string_view way_out = kTakeAgain) const;
  // The same for an element, whose offset is known if the section is raw.
  absl::Status ElementFault(const format::SectionEntry& entry, uint64_t index,
                            absl::string_view what) const;

 private:
  absl::Status CheckHeader();
  absl::Status CheckTable();
  absl::Status CheckEntry(const format::SectionEntry& entry) const;
  absl::Status CheckPlaces() const;
  absl::Status CheckDecodedSize(const ReadOptions& options) const;
  absl::Status PlainFault(absl::string_view place, uint64_t offset,
                          absl::string_view what,
                          absl::string_view way_out) const;

  std::string path_;
  SharedBytes file_;
  format::Header header_ = {};
  std::vector<format::SectionEntry> entries_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SECTION_FILE_H_
