#include "snapshot/dump.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "snapshot/json_writer.h"
#include "snapshot/section.h"
#include "snapshot/section_file.h"
#include "snapshot/text_format.h"

namespace heaptally {
namespace {

using format::SectionEntry;

bool IsText(uint32_t kind) {
  return kind == format::kFacts || kind == format::kCapture ||
         kind == format::kModules || kind == format::kNotes ||
         kind == format::kMissing;
}

std::string EncodingName(uint32_t encoding) {
  switch (encoding) {
    case format::kRaw:
      return "raw";
    case format::kZstd:
      return "zstd";
    case format::kDeltaZstd:
      return "delta+zstd";
    default:
      return absl::StrCat(encoding);
  }
}

// An element of a column as text.
std::string ElementText(const SectionEntry& entry, const char* bytes) {
  if (entry.kind == format::kRecording) {
    format::RecordingEntry r;
    memcpy(&r, bytes, sizeof(r));
    static constexpr absl::string_view kModes[] = {"counters", "sampled",
                                                   "all"};
    return absl::StrCat("epoch ", r.epoch, " mode ",
                        r.mode < std::size(kModes) ? kModes[r.mode] : "unknown",
                        " interval ", r.sample_interval, " since ",
                        IsoTime(r.since_unix_ns));
  }
  if (entry.element_size == sizeof(uint32_t)) {
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return absl::StrCat(value);
  }
  uint64_t value;
  memcpy(&value, bytes, sizeof(value));
  const bool address =
      entry.kind == format::kNodesPc || entry.kind == format::kBlocksAddress;
  return address ? absl::StrFormat("0x%x", value) : absl::StrCat(value);
}

struct Row {
  uint64_t index;  // Of the element, or the offset of a string.
  std::string text;
};

// The first `most` rows (0: all) of a section, and how many it has.
std::vector<Row> RowsOf(const SectionEntry& entry, absl::Span<const char> bytes,
                        uint64_t most, uint64_t& count) {
  std::vector<Row> rows;
  const absl::string_view text(bytes.data(), bytes.size());
  count = 0;
  const auto wanted = [&] { return most == 0 || count < most; };
  if (IsText(entry.kind) || entry.kind == format::kStrings) {
    const char end = IsText(entry.kind) ? '\n' : '\0';
    for (size_t begin = 0; begin < text.size();) {
      const size_t stop = std::min(text.find(end, begin), text.size());
      if (wanted()) {
        rows.push_back({end == '\n' ? count : begin,
                        std::string(text.substr(begin, stop - begin))});
      }
      ++count;
      begin = stop + 1;
    }
    return rows;
  }
  if (FindSection(entry.kind) == nullptr) return rows;
  for (; count < entry.count && wanted(); ++count) {
    rows.push_back(
        {count, ElementText(entry, bytes.data() + count * entry.element_size)});
  }
  count = entry.count;
  return rows;
}

void DumpHeaderText(const SectionFile& file, std::ostream& out) {
  const format::Header& h = file.header();
  out << "header\n  version        " << h.major << '.' << h.minor
      << "\n  header size    " << h.header_size << "\n  file size      "
      << h.file_size << "\n  flags          " << h.flags
      << ((h.flags & format::kFlagNamed) != 0 ? " (named)" : "")
      << "\n  section table  " << h.section_count << " entries of "
      << h.section_entry_size << " bytes at offset " << h.section_table_offset
      << "\n  checksums      "
      << absl::StrFormat("table %016x, header %016x\n\n",
                         h.section_table_checksum, h.header_checksum);
  out << "section table\n  kind  name                          encoding       "
         "offset       stored         size        count  flags\n";
  for (const SectionEntry& e : file.entries()) {
    out << absl::StrFormat("  %04x  %-28s  %-10s %10d %12d %12d %12d  %5d\n",
                           e.kind, SectionName(e.kind),
                           EncodingName(e.encoding), e.offset, e.stored_size,
                           e.size, e.count, e.flags);
  }
}

void DumpSectionText(const SectionEntry& entry,
                     const absl::StatusOr<SharedBytes>& decoded,
                     const DumpOptions& options, std::ostream& out) {
  out << '\n' << SectionName(entry.kind) << '\n';
  if (!decoded.ok()) {
    out << "  DAMAGED: " << SafeText(decoded.status().message()) << '\n';
    return;
  }
  if (FindSection(entry.kind) == nullptr) {
    out << "  (" << entry.stored_size
        << " bytes of a kind that is unknown here)\n";
    return;
  }
  uint64_t count = 0;
  const std::vector<Row> rows =
      RowsOf(entry, decoded->bytes, options.rows, count);
  for (const Row& row : rows) {
    out << absl::StrFormat("  %9d  ", row.index) << SafeText(row.text) << '\n';
  }
  if (rows.size() < count) {
    out << "  \u2026 " << ThousandsText(count - rows.size()) << " of "
        << CountOf(count, "row", "rows") << " not shown; --rows 0 or --all "
        << "shows all\n";
  }
}

void DumpHeaderJson(const SectionFile& file, JsonWriter& json) {
  const format::Header& h = file.header();
  json.Key("file").String(file.path());
  json.Key("header").BeginObject();
  json.Key("major").Number(h.major);
  json.Key("minor").Number(h.minor);
  json.Key("header_size").Number(h.header_size);
  json.Key("file_size").Number(h.file_size);
  json.Key("flags").Number(h.flags);
  json.Key("section_count").Number(h.section_count);
  json.Key("section_table_offset").Number(h.section_table_offset);
  json.EndObject();
}

void DumpSectionJson(const SectionEntry& entry,
                     const absl::StatusOr<SharedBytes>& decoded,
                     const DumpOptions& options, JsonWriter& json) {
  json.BeginObject();
  json.Key("name").String(SectionName(entry.kind));
  json.Key("kind").Number(entry.kind);
  json.Key("encoding").String(EncodingName(entry.encoding));
  json.Key("offset").Number(entry.offset);
  json.Key("stored_size").Number(entry.stored_size);
  json.Key("size").Number(entry.size);
  json.Key("count").Number(entry.count);
  json.Key("flags").Number(entry.flags);
  if (!decoded.ok()) {
    json.Key("damaged").String(decoded.status().message());
    json.EndObject();
    return;
  }
  uint64_t count = 0;
  const std::vector<Row> rows =
      RowsOf(entry, decoded->bytes, options.rows, count);
  json.Key("rows").BeginArray(true);
  for (const Row& row : rows) json.String(row.text);
  json.EndArray();
  json.Key("rows_left_out").Number(count - rows.size());
  json.EndObject();
}

}  // namespace

absl::Status Dump(const std::string& path, const DumpOptions& options,
                  std::ostream& out) {
  const absl::StatusOr<SectionFile> file = SectionFile::Open(path, {});
  if (!file.ok()) return file.status();
  std::vector<SectionEntry> chosen;
  std::vector<std::string> names;
  for (const SectionEntry& entry : file->entries()) {
    names.push_back(SectionName(entry.kind));
    if (options.section.empty() || options.section == names.back()) {
      chosen.push_back(entry);
    }
  }
  if (chosen.empty() && !options.section.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " has no section ",
                                                   options.section, "; it has ",
                                                   absl::StrJoin(names, ", ")));
  }
  absl::Status damage;
  JsonWriter json(out);
  if (options.json) {
    json.BeginObject();
    DumpHeaderJson(*file, json);
    json.Key("sections").BeginArray();
  } else if (options.section.empty()) {
    DumpHeaderText(*file, out);
  }
  for (const SectionEntry& entry : chosen) {
    absl::StatusOr<SharedBytes> decoded = SharedBytes();
    if (FindSection(entry.kind) != nullptr) {
      decoded = file->Decode(entry);
    } else if (absl::Status s = file->CheckChecksum(entry); !s.ok()) {
      decoded = s;
    }
    damage.Update(decoded.status());
    if (options.json) {
      DumpSectionJson(entry, decoded, options, json);
    } else {
      DumpSectionText(entry, decoded, options, out);
    }
  }
  if (options.json) {
    json.EndArray();
    json.EndObject();
  }
  return damage;
}

}  // namespace heaptally
