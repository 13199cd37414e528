// The reader against sections whose contents make no sense.
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/reader_testing.h"

namespace heaptally {
namespace {

using format::SectionEntry;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace heaptally
