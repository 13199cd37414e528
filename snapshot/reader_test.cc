// The reader against files that are sound, cut, flipped, hostile and newer.
#include "snapshot/reader.h"

#include <cstring>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/checksum.h"
#include "snapshot/packer.h"
#include "snapshot/shared_bytes.h"
#include "snapshot/snapshot_equal.h"
#include "snapshot/synthetic.h"
#include "snapshot/writer.h"

namespace heaptally {
namespace {

using format::Header;
using format::SectionEntry;
using ::testing::HasSubstr;

Snapshot Small(bool named = true) {
  Snapshot s = MakeSyntheticSnapshot({.blocks = 20, .tracebacks = 4});
  SyntheticNamer namer;
  if (named) {
    EXPECT_TRUE(AddNames(s, namer).ok());
  }
  return s;
}

std::string Encode(const Snapshot& s, bool pack = false) {
  absl::StatusOr<std::string> bytes = EncodeSnapshot(s, {.pack = pack});
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return *bytes;
}

// Reads a private copy of exactly the file's length, so that a sanitizer sees
// a byte too much.
absl::StatusOr<Snapshot> Read(const std::string& bytes,
                              const ReadOptions& options = {}) {
  auto copy = AllocateBytes(bytes.size());
  memcpy(copy.get(), bytes.data(), bytes.size());
  return ReadSnapshotFromBytes("x.heaptally", {copy.get(), bytes.size()}, copy,
                               options);
}

std::string Message(const std::string& bytes, const ReadOptions& options = {}) {
  const absl::StatusOr<Snapshot> s = Read(bytes, options);
  return s.ok() ? "accepted" : std::string(s.status().message());
}

Header HeaderOf(const std::string& bytes) {
  Header header;
  memcpy(&header, bytes.data(), sizeof(header));
  return header;
}

void SetHeader(std::string& bytes, Header header) {
  header.header_checksum = Checksum(&header, offsetof(Header, header_checksum));
  memcpy(bytes.data(), &header, sizeof(header));
}

// Changes entries, then makes all checksums right again.
void EditTable(std::string& bytes,
               const std::function<void(SectionEntry&)>& edit) {
  Header header = HeaderOf(bytes);
  char* table = bytes.data() + header.section_table_offset;
  for (uint32_t i = 0; i < header.section_count; ++i) {
    SectionEntry entry;
    memcpy(&entry, table + i * sizeof(entry), sizeof(entry));
    edit(entry);
    memcpy(table + i * sizeof(entry), &entry, sizeof(entry));
  }
  header.section_table_checksum =
      Checksum(table, header.section_count * sizeof(SectionEntry));
  SetHeader(bytes, header);
}

SectionEntry EntryOf(std::string bytes, uint32_t kind) {
  SectionEntry found = {};
  EditTable(bytes, [&](SectionEntry& e) {
    if (e.kind == kind) found = e;
  });
  return found;
}

// Changes the stored bytes of a section and its checksum.
template <typename T>
std::string WithElement(std::string bytes, uint32_t kind, size_t index,
                        T value) {
  EditTable(bytes, [&](SectionEntry& e) {
    if (e.kind != kind) return;
    memcpy(bytes.data() + e.offset + index * sizeof(T), &value, sizeof(T));
    e.checksum = Checksum(bytes.data() + e.offset, e.stored_size);
  });
  return bytes;
}

std::string WithEntry(std::string bytes, uint32_t kind,
                      const std::function<void(SectionEntry&)>& edit) {
  EditTable(bytes, [&](SectionEntry& e) {
    if (e.kind == kind) edit(e);
  });
  return bytes;
}

// A message about a section, with the way out for damage.
std::string Damaged(const std::string& bytes, uint32_t kind, size_t shift,
                    absl::string_view name, absl::string_view what) {
  return absl::StrCat(
      "x.heaptally: section ", name, " at offset ",
      EntryOf(bytes, kind).offset + shift, ": ", what,
      "; the file is damaged there, take or copy the snapshot again");
}

TEST(Reader, ReadsBackWhatWasWrittenRawAndPacked) {
  for (const bool named : {false, true}) {
    const Snapshot s = Small(named);
    for (const bool pack : {false, true}) {
      const absl::StatusOr<Snapshot> read = Read(Encode(s, pack));
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_TRUE(SameContent(s, *read));
    }
  }
}

TEST(Reader, ReadsASnapshotWithoutBlocksAndTracebacks) {
  const Snapshot s = MakeSyntheticSnapshot({.blocks = 0, .tracebacks = 0});
  const absl::StatusOr<Snapshot> read = Read(Encode(s, true));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(SameContent(s, *read));
}

TEST(Reader, RefusesAFileCutAtAnyLength) {
  for (const bool pack : {false, true}) {
    const std::string bytes = Encode(Small(), pack);
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::string message = Message(bytes.substr(0, size));
      ASSERT_THAT(message, HasSubstr("it was cut")) << size;
    }
  }
}

TEST(Reader, RefusesEveryFlippedByteOrReadsTheSame) {
  for (const bool pack : {false, true}) {
    const Snapshot s = Small();
    const std::string bytes = Encode(s, pack);
    size_t accepted = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const int mask : {0x01, 0x80, 0xff}) {
        std::string flipped = bytes;
        flipped[i] = static_cast<char>(flipped[i] ^ mask);
        const absl::StatusOr<Snapshot> read = Read(flipped);
        if (!read.ok()) {
          ASSERT_THAT(read.status().message(), HasSubstr("x.heaptally: "));
          ASSERT_THAT(read.status().message(), HasSubstr(" at offset "));
          continue;
        }
        ++accepted;  // Padding.
        ASSERT_TRUE(SameContent(s, *read)) << "byte " << i;
      }
    }
    EXPECT_LT(accepted, 3 * 8 * HeaderOf(bytes).section_count);
  }
}

TEST(Reader, SaysWhichSectionIsDamagedAndWhere) {
  std::string bytes = Encode(Small());
  const SectionEntry entry = EntryOf(bytes, format::kBlocksAddress);
  bytes[entry.offset + 3] ^= 1;
  EXPECT_EQ(Message(bytes),
            Damaged(bytes, format::kBlocksAddress, 0, "blocks.address",
                    "checksum does not match"));
}

TEST(Reader, RefusesAnUnfinishedCapture) {
  std::string bytes = Encode(Small());
  memset(bytes.data(), 0, 8);
  EXPECT_EQ(Message(bytes),
            "x.heaptally: header at offset 0: the capture has not finished; "
            "wait for it, or take the snapshot again");
}

TEST(Reader, RefusesAnotherKindOfFile) {
  EXPECT_EQ(Message("#!/bin/sh\n"),
            "x.heaptally: header at offset 0: this is no heaptally snapshot; "
            "give a file that 'heaptally snapshot' wrote");
}

TEST(Reader, RefusesANewerMajorVersion) {
  std::string bytes = Encode(Small());
  Header header = HeaderOf(bytes);
  header.major = 2;
  header.minor = 7;
  SetHeader(bytes, header);
  EXPECT_EQ(Message(bytes),
            "x.heaptally: header at offset 8: version 2.7 is newer than the "
            "1.x that this heaptally reads; open it with the heaptally that "
            "wrote it or a newer one");
}

TEST(Reader, RefusesBytesBehindTheEnd) {
  const std::string bytes = Encode(Small());
  EXPECT_EQ(Message(bytes + "more"),
            absl::StrCat("x.heaptally: header at offset 32: the file has 4 "
                         "bytes more than the ",
                         bytes.size(),
                         " that were written; something was added to it, copy "
                         "or take the snapshot again"));
}

TEST(Reader, OpensANewerMinorVersionAndKeepsItsUnknownSections) {
  Snapshot s = Small();
  UnknownSection references = {};
  references.entry.kind = 0xa0;
  references.entry.encoding = 9;
  references.entry.element_size = 1;
  references.stored = std::vector<char>{'a', 'b', 'c'};
  references.entry.checksum = Checksum("abc", 3);
  s.unknown.push_back(references);
  std::string bytes = Encode(s);
  Header header = HeaderOf(bytes);
  header.minor = 9;
  SetHeader(bytes, header);
  const absl::StatusOr<Snapshot> read = Read(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(SameContent(s, *read));
  const absl::StatusOr<Snapshot> again = Read(Encode(*read, true));
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->unknown.size(), 1u);
  EXPECT_EQ(again->unknown[0].stored, references.stored);
}

TEST(Reader, RefusesAnUnknownSectionThatIsRequired) {
  Snapshot s = Small();
  UnknownSection section = {};
  section.entry.kind = 0xa0;
  section.entry.flags = format::kSectionRequired;
  section.entry.checksum = Checksum("", 0);
  s.unknown.push_back(section);
  const std::string bytes = Encode(s);
  EXPECT_EQ(Message(bytes),
            absl::StrCat("x.heaptally: section 0x00a0 at offset ",
                         EntryOf(bytes, 0xa0).offset,
                         ": it is needed to read the file, and unknown here; "
                         "open it with the heaptally that wrote it or a newer "
                         "one"));
}

TEST(Reader, RefusesSectionsThatOverlap) {
  const std::string good = Encode(Small());
  const uint64_t pc = EntryOf(good, format::kNodesPc).offset;
  const std::string bytes = WithEntry(good, format::kBlocksAddress,
                                      [&](SectionEntry& e) { e.offset = pc; });
  EXPECT_THAT(Message(bytes),
              HasSubstr(absl::StrCat(" at offset ", pc, ": it overlaps ")));
}

TEST(Reader, RefusesASectionOverTheSectionTable) {
  const std::string good = Encode(Small());
  const uint64_t table = HeaderOf(good).section_table_offset;
  const std::string bytes = WithEntry(
      good, format::kFacts, [&](SectionEntry& e) { e.offset = table; });
  EXPECT_EQ(
      Message(bytes),
      Damaged(bytes, format::kFacts, 0, "facts",
              absl::StrCat("it overlaps the section table at offset ", table)));
}

TEST(Reader, RefusesASectionOutsideTheFile) {
  const std::string good = Encode(Small());
  for (const uint64_t offset :
       {uint64_t{1} << 40, ~uint64_t{7}, uint64_t{8}, uint64_t{good.size()}}) {
    const std::string bytes =
        WithEntry(good, format::kBlocksUsable,
                  [&](SectionEntry& e) { e.offset = offset; });
    EXPECT_EQ(Message(bytes),
              Damaged(bytes, format::kBlocksUsable, 0, "blocks.usable",
                      absl::StrCat("its 160 bytes have no place in the ",
                                   good.size(), " bytes of the file")));
  }
}

TEST(Reader, RefusesCountsThatDisagree) {
  const std::string bytes =
      WithEntry(Encode(Small()), format::kBlocksEpoch, [](SectionEntry& e) {
        e.count = 19;
        e.size = e.stored_size = 76;
      });
  EXPECT_EQ(Message(bytes),
            Damaged(bytes, format::kBlocksEpoch, 0, "blocks.epoch",
                    "it has 19 elements where blocks.address has 20"));
}

TEST(Reader, RefusesACountThatDoesNotFitTheSize) {
  const std::string bytes =
      WithEntry(Encode(Small()), format::kBlocksEpoch,
                [](SectionEntry& e) { e.count = (uint64_t{1} << 62) + 20; });
  EXPECT_EQ(Message(bytes),
            Damaged(bytes, format::kBlocksEpoch, 0, "blocks.epoch",
                    "4611686018427387924 elements of 4 bytes are not 80 "
                    "bytes"));
}

TEST(Reader, RefusesAMissingSection) {
  // Turns a mandatory section into one that nobody knows.
  const std::string bytes =
      WithEntry(Encode(Small()), format::kNodesPc, [](SectionEntry& e) {
        e.kind = 0xa7;
        e.flags = 0;
      });
  EXPECT_EQ(Message(bytes),
            absl::StrCat("x.heaptally: section table at offset ",
                         HeaderOf(bytes).section_table_offset,
                         ": section nodes.pc is missing; the file is damaged "
                         "there, take or copy the snapshot again"));
}

TEST(Reader, RefusesASectionThatIsThereTwice) {
  const std::string bytes = WithEntry(
      Encode(Small()), format::kTracebacksEverUsable,
      [](SectionEntry& e) { e.kind = format::kTracebacksEverBlocks; });
  EXPECT_THAT(Message(bytes), HasSubstr("section tracebacks.ever.blocks"));
  EXPECT_THAT(Message(bytes), HasSubstr("the file has this section twice"));
}

TEST(Reader, RefusesAddressesThatDoNotAscend) {
  const Snapshot s = Small();
  const std::string bytes = WithElement<uint64_t>(
      Encode(s), format::kBlocksAddress, 5, s.blocks.address[4]);
  EXPECT_EQ(
      Message(bytes),
      Damaged(bytes, format::kBlocksAddress, 40, "blocks.address",
              absl::StrCat("element 5 is 0x", absl::Hex(s.blocks.address[4]),
                           ", which is not above the one before it, 0x",
                           absl::Hex(s.blocks.address[4]))));
}

TEST(Reader, RefusesBlocksOfNoTraceback) {
  for (const uint32_t id : {0u, 20u, ~0u}) {
    const std::string bytes = WithElement<uint32_t>(
        Encode(Small()), format::kBlocksTraceback, 19, id);
    EXPECT_EQ(Message(bytes),
              Damaged(bytes, format::kBlocksTraceback, 76, "blocks.traceback",
                      absl::StrCat("element 19 has the traceback ", id,
                                   " of 20 tracebacks")));
  }
}

TEST(Reader, RefusesABlockSmallerThanWasAskedFor) {
  const std::string bytes = WithElement<uint64_t>(
      Encode(Small()), format::kBlocksRequested, 0, 1 << 30);
  EXPECT_THAT(Message(bytes),
              HasSubstr("element 0 asked for 1073741824 bytes of a block of "));
}

TEST(Reader, RefusesAParentThatDoesNotComeBeforeItsChild) {
  for (const uint32_t parent : {17u, 18u, ~0u}) {
    const std::string bytes = WithElement<uint32_t>(
        Encode(Small()), format::kNodesParent, 17, parent);
    EXPECT_EQ(Message(bytes),
              Damaged(bytes, format::kNodesParent, 68, "nodes.parent",
                      absl::StrCat("element 17 has the parent ", parent,
                                   ", which does not come before it")));
  }
}

TEST(Reader, RefusesARootWithAParent) {
  const std::string bytes =
      WithElement<uint32_t>(Encode(Small()), format::kNodesParent, 2, 1);
  EXPECT_EQ(Message(bytes),
            Damaged(bytes, format::kNodesParent, 8, "nodes.parent",
                    "element 2 is a root with the parent 1"));
}

TEST(Reader, RefusesATracebackOfNoNode) {
  const Snapshot s = Small();
  const std::string bytes =
      WithElement<uint32_t>(Encode(s), format::kTracebacksNode, 16,
                            static_cast<uint32_t>(s.nodes.size()));
  EXPECT_EQ(Message(bytes),
            Damaged(bytes, format::kTracebacksNode, 64, "tracebacks.node",
                    absl::StrCat("element 16 has the node ", s.nodes.size(),
                                 " of ", s.nodes.size(), " nodes")));
}

TEST(Reader, RefusesNamesThatPointOutside) {
  const Snapshot s = Small();
  const std::string good = Encode(s);
  for (const uint32_t kind :
       {format::kFrameFunction, format::kFrameFile, format::kFrameModule,
        format::kNodeLocation, format::kLocationBegin}) {
    const std::string bytes = WithElement<uint32_t>(good, kind, 1, 1u << 30);
    EXPECT_THAT(Message(bytes), HasSubstr("section names.")) << kind;
  }
  const std::string bytes = WithElement<char>(good, format::kStrings,
                                              s.names.strings.size() - 1, 'x');
  EXPECT_EQ(Message(bytes), Damaged(bytes, format::kStrings, 0, "names.strings",
                                    "it does not begin and end with a zero"));
}

TEST(Reader, RefusesFactsThatItCannotUnderstand) {
  Snapshot s = Small();
  s.facts.Set("epoch", "soon");
  std::string bytes = Encode(s);
  EXPECT_EQ(Message(bytes), Damaged(bytes, format::kFacts, 0, "facts",
                                    "its epoch is no number"));
  s.facts.Set("epoch", 3);
  s.facts.Set("mode", "some");
  bytes = Encode(s);
  EXPECT_EQ(Message(bytes),
            Damaged(bytes, format::kFacts, 0, "facts",
                    "its mode is not counters, sampled or all"));
  bytes = WithElement<char>(Encode(Small()), format::kFacts, 3, '\n');
  EXPECT_EQ(Message(bytes), Damaged(bytes, format::kFacts, 0, "facts",
                                    "line 1 is no key=value"));
}

TEST(Reader, RefusesAModuleListThatItCannotUnderstand) {
  const std::string bytes =
      WithElement<char>(Encode(Small()), format::kModules, 0, 'x');
  EXPECT_EQ(Message(bytes),
            Damaged(bytes, format::kModules, 0, "modules",
                    "line 1 is not 'start-end bias generation build_id path'"));
}

TEST(Reader, RefusesSamplingWithoutAnInterval) {
  Snapshot s = Small();
  s.recording =
      std::vector<format::RecordingEntry>{{1, format::kSampled, 0, 0}};
  const std::string bytes = Encode(s);
  EXPECT_EQ(Message(bytes), Damaged(bytes, format::kRecording, 0, "recording",
                                    "element 0 samples every 0 bytes"));
}

TEST(Reader, RefusesASizeThatNoCompressionReaches) {
  Snapshot s = MakeSyntheticSnapshot({.blocks = 2000, .tracebacks = 4});
  const std::string bytes =
      WithEntry(Encode(s, true), format::kBlocksEpoch, [](SectionEntry& e) {
        e.count = uint64_t{1} << 40;
        e.size = e.count * 4;
      });
  EXPECT_THAT(Message(bytes), HasSubstr(" stored bytes cannot hold "));
}

TEST(Reader, RefusesMoreThanItIsAllowedToDecode) {
  Snapshot s = MakeSyntheticSnapshot({.blocks = 2000, .tracebacks = 4});
  const std::string bytes = Encode(s, true);
  EXPECT_THAT(Message(bytes, {.max_decoded_bytes = 20000}),
              HasSubstr("the sections up to here would take more than 20000 "
                        "bytes, out of a file of "));
}

TEST(Reader, RefusesACompressedSectionOfAnotherSize) {
  Snapshot s = MakeSyntheticSnapshot({.blocks = 2000, .tracebacks = 4});
  std::string bytes = Encode(s, true);
  EditTable(bytes, [](SectionEntry& e) {
    if (e.kind < format::kBlocksAddress || e.kind > format::kBlocksEpoch) {
      return;
    }
    e.count = 1999;
    e.size = e.count * e.element_size;
  });
  EXPECT_EQ(Message(bytes),
            Damaged(bytes, format::kBlocksAddress, 0, "blocks.address",
                    "it does not unpack to its 15992 bytes"));
}

TEST(Reader, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(ReadSnapshot("/nowhere/x.heaptally").status().message(),
            "cannot read /nowhere/x.heaptally: No such file or directory");
  EXPECT_EQ(ReadSnapshot("/tmp").status().message(),
            "cannot read /tmp: it is a folder");
  EXPECT_EQ(ReadSnapshot("/dev/null").status().message(),
            "cannot read /dev/null: it is no regular file");
}

}  // namespace
}  // namespace heaptally
