#include "snapshot/reader.h"

#include "absl/strings/str_cat.h"
#include "snapshot/columns.h"
#include "snapshot/missing.h"
#include "snapshot/section.h"
#include "snapshot/section_file.h"
#include "snapshot/validate.h"

namespace heaptally {
namespace {

using format::SectionEntry;

// Decodes a section into `column`; leaves it empty if the file has none.
template <typename T>
absl::Status LoadColumn(const SectionFile& file, uint32_t kind,
                        Column<T>& column) {
  const SectionEntry* entry = file.Find(kind);
  if (entry == nullptr) return absl::OkStatus();
  absl::StatusOr<SharedBytes> decoded = file.Decode(*entry);
  if (!decoded.ok()) return decoded.status();
  const auto* data = reinterpret_cast<const T*>(decoded->bytes.data());
  column = Column<T>({data, entry->count}, std::move(decoded->owner));
  return absl::OkStatus();
}

// Decodes a text section and hands it to `parse`.
template <typename T>
absl::Status LoadText(const SectionFile& file, uint32_t kind,
                      absl::StatusOr<T> (*parse)(absl::string_view),
                      T& result) {
  const SectionEntry* entry = file.Find(kind);
  if (entry == nullptr) return absl::OkStatus();
  absl::StatusOr<SharedBytes> decoded = file.Decode(*entry);
  if (!decoded.ok()) return decoded.status();
  absl::StatusOr<T> parsed =
      parse(absl::string_view(decoded->bytes.data(), decoded->bytes.size()));
  if (!parsed.ok()) return file.Fault(*entry, parsed.status().message());
  result = *std::move(parsed);
  return absl::OkStatus();
}

absl::Status LoadTexts(const SectionFile& file, Snapshot& s) {
  absl::Status status;
  status.Update(LoadText(file, format::kFacts, KeyValues::Parse, s.facts));
  status.Update(LoadText(file, format::kCapture, KeyValues::Parse, s.capture));
  status.Update(LoadText(file, format::kModules, ParseModules, s.modules));
  status.Update(LoadText(file, format::kNotes, KeyValues::Parse, s.notes));
  status.Update(
      LoadText(file, format::kMissing, ParseMissing, s.names.missing));
  return status;
}

absl::Status LoadUnknown(const SectionFile& file, Snapshot& snapshot,
                         const std::shared_ptr<const void>& owner) {
  for (const SectionEntry& entry : file.entries()) {
    if (FindSection(entry.kind) != nullptr) continue;
    if (absl::Status s = file.CheckChecksum(entry); !s.ok()) return s;
    snapshot.unknown.push_back(
        {entry, Column<char>(file.Stored(entry), owner)});
  }
  return absl::OkStatus();
}

absl::StatusOr<Snapshot> Load(const SectionFile& file,
                              const std::shared_ptr<const void>& owner) {
  Snapshot snapshot;
  snapshot.path = file.path();
  if (absl::Status s = ValidateCounts(file); !s.ok()) return s;
  if (absl::Status s = LoadTexts(file, snapshot); !s.ok()) return s;
  absl::Status status;
  const auto load = [&](uint32_t kind, auto& column) {
    if (status.ok()) status = LoadColumn(file, kind, column);
  };
  VisitColumns(snapshot, load);
  VisitNameColumns(snapshot.names, load);
  if (!status.ok()) return status;
  if (absl::Status s = LoadUnknown(file, snapshot, owner); !s.ok()) return s;
  if (absl::Status s = ValidateContent(file, snapshot); !s.ok()) return s;
  return snapshot;
}

}  // namespace

absl::StatusOr<Snapshot> ReadSnapshot(const std::string& path,
                                      const ReadOptions& options) {
  absl::StatusOr<SectionFile> file = SectionFile::Open(path, options);
  if (!file.ok()) return file.status();
  return Load(*file, file->owner());
}

absl::StatusOr<Snapshot> ReadSnapshotFromBytes(
    const std::string& path, absl::Span<const char> bytes,
    const std::shared_ptr<const void>& owner, const ReadOptions& options) {
  absl::StatusOr<SectionFile> file =
      SectionFile::FromBytes(path, {bytes, owner}, options);
  if (!file.ok()) return file.status();
  return Load(*file, owner);
}

}  // namespace heaptally
