#include "snapshot/writer.h"

#include <cstring>
#include <deque>
#include <vector>

#include "absl/strings/str_cat.h"
#include "snapshot/checksum.h"
#include "snapshot/columns.h"
#include "snapshot/encoding.h"
#include "snapshot/file_io.h"
#include "snapshot/missing.h"
#include "snapshot/section.h"

namespace heaptally {
namespace {

using format::SectionEntry;

constexpr char kPadding[format::kSectionAlignment] = {};

// Collects the sections of one file.
class Builder {
 public:
  explicit Builder(const WriteOptions& options) : options_(options) {}

  void Add(uint32_t kind, absl::Span<const char> bytes, bool delta) {
    if (!status_.ok()) return;
    const SectionInfo& info = *FindSection(kind);
    uint32_t encoding = delta ? format::kDeltaZstd : format::kZstd;
    if (!options_.pack || bytes.size() < kWorthPacking) encoding = format::kRaw;
    absl::StatusOr<SharedBytes> stored =
        EncodeBytes(bytes, encoding, options_.level);
    if (!stored.ok()) {
      status_ = absl::Status(
          stored.status().code(),
          absl::StrCat("section ", info.name, ": ", stored.status().message()));
      return;
    }
    // Packing must never make a section larger, nor so small that a reader
    // takes it for a bomb.
    if (encoding != format::kRaw &&
        (stored->bytes.size() >= bytes.size() ||
         stored->bytes.size() < bytes.size() / kLargestRatio)) {
      stored = SharedBytes{bytes, nullptr};
      encoding = format::kRaw;
    }
    SectionEntry entry = {};
    entry.kind = kind;
    entry.encoding = encoding;
    entry.size = bytes.size();
    entry.count = bytes.size() / info.element_size;
    entry.element_size = info.element_size;
    entry.flags = info.mandatory ? format::kSectionRequired : 0;
    entry.checksum = Checksum(stored->bytes.data(), stored->bytes.size());
    AddStored(entry, *std::move(stored));
  }

  void AddText(uint32_t kind, std::string text) {
    texts_.push_back(std::move(text));
    Add(kind, texts_.back(), false);
  }

  void AddStored(SectionEntry entry, SharedBytes stored) {
    entry.offset = end_;
    entry.stored_size = stored.bytes.size();
    entries_.push_back(entry);
    AddPiece(stored.bytes);
    kept_.push_back(std::move(stored));
  }

  // The pieces of the whole file; they live as long as the builder.
  absl::StatusOr<std::vector<absl::Span<const char>>> Finish(uint64_t flags) {
    if (!status_.ok()) return status_;
    format::Header& h = header_;
    h.magic = format::kMagic;
    h.major = format::kMajor;
    h.minor = format::kMinor;
    h.header_size = sizeof(h);
    h.section_count = static_cast<uint32_t>(entries_.size());
    h.section_entry_size = sizeof(SectionEntry);
    h.section_table_offset = end_;
    const absl::Span<const char> table(
        reinterpret_cast<const char*>(entries_.data()),
        entries_.size() * sizeof(SectionEntry));
    h.section_table_checksum = Checksum(table.data(), table.size());
    AddPiece(table);
    h.file_size = end_;
    h.flags = flags;
    h.header_checksum = Checksum(&h, offsetof(format::Header, header_checksum));
    pieces_[0] = {reinterpret_cast<const char*>(&header_), sizeof(header_)};
    return pieces_;
  }

 private:
  static constexpr size_t kWorthPacking = 64;
  static constexpr size_t kLargestRatio = 16384;

  void AddPiece(absl::Span<const char> bytes) {
    pieces_.push_back(bytes);
    end_ += bytes.size();
    const size_t padding = -end_ % format::kSectionAlignment;
    if (padding != 0) pieces_.emplace_back(kPadding, padding);
    end_ += padding;
  }

  const WriteOptions options_;
  absl::Status status_;
  format::Header header_ = {};
  std::vector<SectionEntry> entries_;
  std::vector<SharedBytes> kept_;
  std::deque<std::string> texts_;  // A deque: its strings do not move.
  std::vector<absl::Span<const char>> pieces_ = {{}};  // The first: header.
  uint64_t end_ = sizeof(format::Header);
};

absl::StatusOr<std::vector<absl::Span<const char>>> Build(
    const Snapshot& snapshot, Builder& builder) {
  builder.AddText(format::kFacts, snapshot.facts.Format());
  builder.AddText(format::kCapture, snapshot.capture.Format());
  builder.AddText(format::kModules, FormatModules(snapshot.modules));
  builder.AddText(format::kNotes, snapshot.notes.Format());
  const auto add = [&](uint32_t kind, const auto& column) {
    const size_t bytes = column.size() * sizeof(column[0]);
    builder.Add(kind, {reinterpret_cast<const char*>(column.data()), bytes},
                kind == format::kBlocksAddress);
  };
  VisitColumns(snapshot, add);
  if (snapshot.names.present()) {
    VisitNameColumns(snapshot.names, add);
    builder.AddText(format::kMissing, FormatMissing(snapshot.names.missing));
  }
  for (const UnknownSection& section : snapshot.unknown) {
    builder.AddStored(section.entry, {section.stored.span(), nullptr});
  }
  return builder.Finish(snapshot.names.present() ? format::kFlagNamed : 0);
}

}  // namespace

absl::Status WriteSnapshot(const Snapshot& snapshot, const std::string& path,
                           const WriteOptions& options) {
  Builder builder(options);
  auto pieces = Build(snapshot, builder);
  if (!pieces.ok()) {
    return absl::Status(
        pieces.status().code(),
        absl::StrCat("cannot write ", path, ": ", pieces.status().message()));
  }
  return ReplaceFile(path, *pieces, options.sync);
}

absl::StatusOr<std::string> EncodeSnapshot(const Snapshot& snapshot,
                                           const WriteOptions& options) {
  Builder builder(options);
  auto pieces = Build(snapshot, builder);
  if (!pieces.ok()) return pieces.status();
  std::string bytes;
  for (const absl::Span<const char> piece : *pieces) {
    bytes.append(piece.data(), piece.size());
  }
  return bytes;
}

}  // namespace heaptally
