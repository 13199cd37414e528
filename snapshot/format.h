// The layout of a `.heaptally` file, version 1: plain numbers and structs that
// the runtime writes and the tool reads. docs/file-format.md explains each.
// Constants only: safe in every thread, signal handler and allocator.
#ifndef HEAPTALLY_SNAPSHOT_FORMAT_H_
#define HEAPTALLY_SNAPSHOT_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace heaptally::format {

// "HEAPTALY" as a little-endian word. A file whose capture has not finished
// has zero here and is never accepted.
inline constexpr uint64_t kMagic = 0x594c415450414548;
inline constexpr uint16_t kMajor = 1;
inline constexpr uint16_t kMinor = 0;
inline constexpr uint64_t kSectionAlignment = 8;

inline constexpr uint64_t kFlagNamed = 1;  // Header::flags: names were added.

struct Header {
  uint64_t magic;
  uint16_t major;
  uint16_t minor;
  uint32_t header_size;
  uint32_t section_count;
  uint32_t section_entry_size;
  uint64_t section_table_offset;
  uint64_t file_size;
  uint64_t section_table_checksum;  // XXH3_64 of the section table.
  uint64_t flags;
  uint64_t header_checksum;  // XXH3_64 of the bytes before this field.
};
static_assert(sizeof(Header) == 64);
static_assert(offsetof(Header, header_checksum) == 56);

enum Encoding : uint32_t {
  kRaw = 0,
  kZstd = 1,
  kDeltaZstd = 2,  // u64 column as differences to the element before, zstd.
};

inline constexpr uint32_t kSectionRequired = 1;  // SectionEntry::flags.

struct SectionEntry {
  uint32_t kind;
  uint32_t encoding;
  uint64_t offset;
  uint64_t stored_size;
  uint64_t size;   // Decoded.
  uint64_t count;  // count * element_size == size.
  uint32_t element_size;
  uint32_t flags;
  uint64_t checksum;  // XXH3_64 of the stored bytes.
  uint64_t zero;
};
static_assert(sizeof(SectionEntry) == 64);
static_assert(offsetof(SectionEntry, checksum) == 48);

enum Kind : uint32_t {
  kFacts = 0x01,
  kCapture = 0x02,
  kModules = 0x03,
  kNotes = 0x04,
  kRecording = 0x05,
  kNodesParent = 0x20,
  kNodesPc = 0x21,
  kTracebacksNode = 0x30,
  kTracebacksCurrentBlocks = 0x31,
  kTracebacksCurrentRequested = 0x32,
  kTracebacksCurrentUsable = 0x33,
  kTracebacksEverBlocks = 0x34,
  kTracebacksEverRequested = 0x35,
  kTracebacksEverUsable = 0x36,
  kTracebacksOwnPeakBlocks = 0x37,
  kTracebacksOwnPeakRequested = 0x38,
  kTracebacksOwnPeakUsable = 0x39,
  kTracebacksAtPeakBlocks = 0x3a,
  kTracebacksAtPeakRequested = 0x3b,
  kTracebacksAtPeakUsable = 0x3c,
  kBlocksAddress = 0x50,
  kBlocksTraceback = 0x51,
  kBlocksRequested = 0x52,
  kBlocksUsable = 0x53,
  kBlocksEpoch = 0x54,
  kStrings = 0x70,
  kNodeLocation = 0x71,
  kLocationBegin = 0x72,
  kFrameFunction = 0x73,
  kFrameFile = 0x74,
  kFrameLine = 0x75,
  kFrameFlags = 0x76,
  kFrameModule = 0x77,
  kMissing = 0x78,
};

// The mode in force from `epoch` on.
enum RecordingMode : uint32_t { kCounters = 0, kSampled = 1, kAll = 2 };
struct RecordingEntry {
  uint32_t epoch;
  uint32_t mode;
  uint64_t sample_interval;  // Bytes; 0 unless mode is kSampled.
  uint64_t since_unix_ns;
};
static_assert(sizeof(RecordingEntry) == 24);

// Traceback and node ids below this are reserved: reasons and roots.
inline constexpr uint32_t kFirstId = 16;
inline constexpr uint32_t kReasonEnd = 7;   // Reasons are 1..6.
inline constexpr uint32_t kWalkEndEnd = 6;  // Roots in use are 1..5.

// The top bits of a stored pc: 0 for a module that is loaded, else the
// generation of an unloaded one.
inline constexpr int kGenerationShift = 48;
inline constexpr uint64_t kPcMask = (uint64_t{1} << kGenerationShift) - 1;

inline constexpr uint32_t kFrameInlined = 1;  // Inlined into the next frame.

}  // namespace heaptally::format

#endif  // HEAPTALLY_SNAPSHOT_FORMAT_H_
