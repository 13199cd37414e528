// Writing and packing files, and what is left behind when that fails.
#include "snapshot/writer.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "snapshot/packer.h"
#include "snapshot/reader.h"
#include "snapshot/snapshot_equal.h"
#include "snapshot/synthetic.h"

namespace heaptally {
namespace {

namespace fs = std::filesystem;

class WriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "writer_test.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return (folder_ / name).string();
  }
  size_t FilesInFolder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_),
                                             fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(WriterTest, WritesAFileThatReadsBackAndLeavesNothingElse) {
  const Snapshot s = MakeSyntheticSnapshot({});
  ASSERT_TRUE(WriteSnapshot(s, Path("a.heaptally"), {.sync = true}).ok());
  const absl::StatusOr<Snapshot> read = ReadSnapshot(Path("a.heaptally"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(SameContent(s, *read));
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(WriterTest, SaysThatTheFolderIsNotThere) {
  const std::string path = Path("none/a.heaptally");
  EXPECT_EQ(WriteSnapshot(MakeSyntheticSnapshot({}), path).message(),
            "cannot write " + path +
                ": No such file or directory; make the folder first or write "
                "to another one");
}

TEST_F(WriterTest, SaysThatTheTargetIsAFolder) {
  EXPECT_EQ(
      WriteSnapshot(MakeSyntheticSnapshot({}), folder_.string()).message(),
      "cannot write " + folder_.string() + ": Is a directory");
}

TEST_F(WriterTest, SaysThatWritingFailedMidwayAndLeavesNothing) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit old = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string path = Path("a.heaptally");
  const absl::Status status = WriteSnapshot(MakeSyntheticSnapshot({}), path);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(status.message(), "cannot write " + path + ": File too large");
  EXPECT_EQ(FilesInFolder(), 0u);
}

TEST_F(WriterTest, PackingAddsNamesAndKeepsPermissionsAndContent) {
  const Snapshot s = MakeSyntheticSnapshot({.blocks = 5000, .tracebacks = 100});
  const std::string path = Path("raw.heaptally");
  ASSERT_TRUE(WriteSnapshot(s, path, {.pack = false}).ok());
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  const auto raw_size = fs::file_size(path);
  SyntheticNamer namer;
  ASSERT_TRUE(PackFile(path, namer).ok());
  absl::StatusOr<Snapshot> read = ReadSnapshot(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->names.present());
  EXPECT_LT(fs::file_size(path), raw_size / 2);
  struct stat info = {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  read->names = Names();
  EXPECT_TRUE(SameContent(s, *read));
  EXPECT_EQ(FilesInFolder(), 1u);
}

// Fails as a symbolizer might.
class BrokenNamer : public Namer {
 public:
  absl::Status Name(absl::Span<const Module>, absl::Span<const uint64_t>,
                    NameTable&) override {
    return absl::InternalError("no names today");
  }
};

TEST_F(WriterTest, PackingThatFailsLeavesTheFileAsItWas) {
  const std::string path = Path("raw.heaptally");
  const Snapshot s = MakeSyntheticSnapshot({});
  ASSERT_TRUE(WriteSnapshot(s, path, {.pack = false}).ok());
  BrokenNamer namer;
  EXPECT_EQ(PackFile(path, namer).message(),
            "cannot name " + path + ": no names today");
  const absl::StatusOr<Snapshot> read = ReadSnapshot(path);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(SameContent(s, *read));
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(WriterTest, PackingLeavesAFileWithNamesAlone) {
  const std::string path = Path("named.heaptally");
  Snapshot s = MakeSyntheticSnapshot({});
  SyntheticNamer namer;
  ASSERT_TRUE(AddNames(s, namer).ok());
  ASSERT_TRUE(WriteSnapshot(s, path).ok());
  BrokenNamer broken;
  EXPECT_TRUE(PackFile(path, broken).ok());
}

TEST_F(WriterTest, KeepsOddTextsAsTheyAre) {
  Snapshot s = MakeSyntheticSnapshot({});
  s.notes.Set("label", "100 % of\nit\t\x01\x7f=\xc3\xa4");
  s.modules[0].path = "/tmp/a b%\n/x";
  ASSERT_TRUE(WriteSnapshot(s, Path("a")).ok());
  const absl::StatusOr<Snapshot> read = ReadSnapshot(Path("a"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(SameContent(s, *read));
}

TEST_F(WriterTest, NeverPacksSoWellThatTheReaderRefuses) {
  Snapshot s = MakeSyntheticSnapshot(
      {.blocks = 3000000, .tracebacks = 1, .epoch = 1, .reasons = false});
  ASSERT_TRUE(WriteSnapshot(s, Path("a")).ok());
  EXPECT_TRUE(ReadSnapshot(Path("a")).ok());
}

}  // namespace
}  // namespace heaptally
