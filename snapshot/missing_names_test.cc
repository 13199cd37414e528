#include "snapshot/missing_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heaptally {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class MissingNames : public testing::Test {
 protected:
  MissingNames() {
    std::filesystem::remove_all(lists_);
    std::filesystem::create_directories(lists_);
  }
  ~MissingNames() override { std::filesystem::remove_all(lists_); }

  void Own(const std::string& list, const std::string& lines) {
    std::ofstream(lists_ + "/" + list) << lines;
  }

  std::string HintFor(DebugFault fault, const std::string& path,
                      const std::string& build_id,
                      const std::string& found = "") {
    Module module{0, 1, 0, 0, build_id, path};
    auto missing = DescribeMissing({{&module, fault, found}}, {}, lists_);
    return missing.size() == 1 ? missing[0].hint : "";
  }

  std::string lists_ = testing::TempDir() + "heaptally_lists";
};

TEST_F(MissingNames, NamesTheDebugPackageOfTheOwner) {
  Own("libc6:amd64.list", "/.\n/lib/x86_64-linux-gnu/libc.so.99\n");
  Own("redis-server.list", "/usr/bin/none-such-redis\n");
  EXPECT_EQ(HintFor(DebugFault::kNoDebugInfo,
                    "/usr/lib/x86_64-linux-gnu/libc.so.99", "abcdef"),
            "no debug information; install libc6-dbg");
  EXPECT_EQ(
      HintFor(DebugFault::kNoDebugInfo, "/usr/bin/none-such-redis", "abcdef"),
      "no debug information; install redis-server-dbgsym");
  EXPECT_EQ(
      HintFor(DebugFault::kNoSharedFile, "/bin/none-such-redis", "abcdef"),
      "the debug file that it shares with others (dwz) is missing; install "
      "redis-server-dbgsym");
}

TEST_F(MissingNames, SaysWhatHelpsAFileOfNoPackage) {
  EXPECT_EQ(HintFor(DebugFault::kNoDebugInfo, "/opt/app", "abcdef"),
            "no debug information; build it with -g, or put its debug file at "
            "/usr/lib/debug/.build-id/ab/cdef.debug");
  EXPECT_EQ(HintFor(DebugFault::kNoDebugInfo, "/opt/app", ""),
            "no debug information; build it with -g");
  EXPECT_EQ(HintFor(DebugFault::kFileMissing, "/opt/app", ""),
            "the file is gone; run a build with build ids (-Wl,--build-id)");
  EXPECT_EQ(HintFor(DebugFault::kFileReplaced, "/opt/app", "abcdef", ""),
            "the file was replaced: it has no build id; put the debug file of "
            "the recorded build at /usr/lib/debug/.build-id/ab/cdef.debug");
}

TEST_F(MissingNames, ListsEachModuleOnceAndNoneThatIsNotAFile) {
  Module app{0, 1, 0, 0, "abcdef", "/opt/app"};
  Module unloaded{0, 1, 0, 3, "abcdef", "/opt/app"};
  Module vdso{0, 1, 0, 0, "", "[vdso]"};
  Module fine{0, 1, 0, 0, "01", "/opt/fine"};
  auto missing = DescribeMissing({{&app, DebugFault::kFileMissing, ""},
                                  {&vdso, DebugFault::kNotStored, ""},
                                  {&fine, DebugFault::kNone, ""},
                                  {&unloaded, DebugFault::kFileMissing, ""}},
                                 {}, lists_);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].module, "/opt/app");
  EXPECT_EQ(missing[0].build_id, "abcdef");
}

TEST_F(MissingNames, DoesWithoutAPackageManager) {
  EXPECT_THAT(OwningPackages({"/opt/app"}, "/none/such"), IsEmpty());
}

TEST_F(MissingNames, ReadsListsThatDoNotEndInANewline) {
  Own("a.list", "/opt/x\n/opt/app");
  Own("a.md5sums", "/opt/other\n");
  EXPECT_THAT(OwningPackages({"/opt/app", "/opt/other"}, lists_),
              UnorderedElementsAre(Pair("/opt/app", "a")));
}

}  // namespace
}  // namespace heaptally
