#include "snapshot/library_frames.h"

#include "gtest/gtest.h"
#include "snapshot/malloc_wrappers.h"

namespace heaptally {
namespace {

Frame Named(absl::string_view function, absl::string_view file = "") {
  return {function, file, 1, "server", true};
}

TEST(LibraryFrames, AreThoseOfTheCxxLibraryByNameOrFile) {
  EXPECT_TRUE(IsLibraryFrame(Named("operator new(unsigned long)")));
  EXPECT_TRUE(IsLibraryFrame(Named("void std::vector<int>::push_back(int&&)")));
  EXPECT_TRUE(IsLibraryFrame(Named("f()", "/usr/include/c++/12/bits/x.h")));
  EXPECT_FALSE(IsLibraryFrame(Named("Parser::std_string(std::string)")));
  EXPECT_FALSE(IsLibraryFrame(Named("main")));
}

TEST(LibraryFrames, AreAlsoWrappersOfMalloc) {
  EXPECT_TRUE(IsLibraryFrame(Named("zmalloc")));
  EXPECT_TRUE(IsLibraryFrame(Named("xstrdup.isra.0")));
  EXPECT_TRUE(IsLibraryFrame(Named("g_malloc(unsigned long)")));
  EXPECT_FALSE(IsLibraryFrame(Named("zmallocator")));
  EXPECT_FALSE(IsLibraryFrame(Named("dictAddRaw")));
  EXPECT_FALSE(IsMallocWrapper(""));
}

TEST(LibraryFrames, TheAllocationSiteIsTheFrameThatUsedThem) {
  FrameTable table;
  const FrameRef wrapper = {table.Intern(Named("zmalloc_usable")), false};
  const FrameRef site = {table.Intern(Named("dictAddRaw")), false};
  const FrameRef caller = {table.Intern(Named("dbAdd")), false};
  const std::vector<FrameRef> stack = {wrapper, site, caller};
  EXPECT_EQ(AllocationSite(table, stack), site);
  EXPECT_EQ(WithoutLibraryFrames(table, stack),
            (std::vector<FrameRef>{site, caller}));
  EXPECT_EQ(AllocationSite(table, {&wrapper, 1}), wrapper);
}

}  // namespace
}  // namespace heaptally
