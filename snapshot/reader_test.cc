// The reader against files that are sound, cut, flipped, hostile and newer.
#include "snapshot/reader.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/checksum.h"
#include "snapshot/reader_testing.h"
#include "snapshot/snapshot_equal.h"

namespace heaptally {
namespace {

using format::Header;
using format::SectionEntry;
using ::testing::HasSubstr;

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
