#include "snapshot/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "snapshot/elf_file.h"
#include "snapshot/format.h"
#include "snapshot/snapshot.h"

namespace heaptally {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The modules of this process, as a capture records them.
std::vector<Module> OwnModules() {
  std::vector<Module> modules;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        Module module;
        module.start = UINT64_MAX;
        module.bias = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          uint64_t begin = module.bias + part.p_vaddr;
          module.start = std::min(module.start, begin);
          module.end = std::max(module.end, begin + part.p_memsz);
        }
        module.path = *info->dlpi_name != '\0'
                          ? info->dlpi_name
                          : std::filesystem::read_symlink("/proc/self/exe");
        if (auto file = ElfFile::Open(module.path)) {
          module.build_id = file->build_id();
        }
        static_cast<std::vector<Module>*>(result)->push_back(module);
        return 0;
      },
      &modules);
  return modules;
}

struct NamedFrame {
  std::string function, file, module;
  uint32_t line;
  bool inlined;
};

std::vector<std::vector<NamedFrame>> FramesOf(const Names& names) {
  std::vector<std::vector<NamedFrame>> locations;
  for (size_t i = 0; i + 1 < names.location_begin.size(); ++i) {
    auto& frames = locations.emplace_back();
    for (uint32_t f = names.location_begin[i]; f < names.location_begin[i + 1];
         ++f) {
      frames.push_back({std::string(names.String(names.function[f])),
                        std::string(names.String(names.file[f])),
                        std::string(names.String(names.module[f])),
                        names.line[f],
                        (names.flags[f] & format::kFrameInlined) != 0});
    }
  }
  return locations;
}

Names NameAll(const std::vector<Module>& modules,
              const std::vector<uint64_t>& pcs) {
  NameTable table;
  EXPECT_TRUE(Symbolizer().Name(modules, pcs, table).ok());
  return Names::FromTable(std::move(table));
}

__attribute__((noinline)) uint64_t ReturnAddress() {
  return reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

uint64_t inlined_pc;
int inlined_line;

inline __attribute__((always_inline)) void Inlined() {
  inlined_line = __LINE__ + 1;
  inlined_pc = ReturnAddress();
}

__attribute__((noinline)) int Outer() {
  Inlined();
  return __LINE__ - 1;
}

TEST(Symbolizer, NamesAnAddressOfThisProcessWithItsInlinedCalls) {
  int call_line = Outer();
  auto locations = FramesOf(NameAll(OwnModules(), {inlined_pc}));
  ASSERT_EQ(locations.size(), 1u);
  ASSERT_EQ(locations[0].size(), 2u);
  const NamedFrame& inner = locations[0][0];
  const NamedFrame& outer = locations[0][1];
  EXPECT_THAT(inner.function, StartsWith("heaptally::(anonymous namespace)::"
                                         "Inlined"));
  EXPECT_THAT(inner.file, EndsWith("snapshot/symbolizer_test.cc"));
  EXPECT_EQ(inner.line, static_cast<uint32_t>(inlined_line));
  EXPECT_TRUE(inner.inlined);
  EXPECT_EQ(outer.function, "heaptally::(anonymous namespace)::Outer()");
  EXPECT_EQ(outer.line, static_cast<uint32_t>(call_line));
  EXPECT_FALSE(outer.inlined);
  EXPECT_EQ(outer.module, "symbolizer_test");
}

TEST(Symbolizer, AddsOneLocationAnAddressWhateverItIs) {
  std::vector<Module> modules = OwnModules();
  Outer();
  uint64_t in_libc = reinterpret_cast<uint64_t>(&std::qsort) + 1;
  uint64_t unloaded = (uint64_t{1} << 48) | inlined_pc;
  std::vector<uint64_t> pcs = {1, 0x1000, inlined_pc, in_libc, unloaded};
  std::sort(pcs.begin(), pcs.end());
  auto locations = FramesOf(NameAll(modules, pcs));
  ASSERT_EQ(locations.size(), 5u);
  EXPECT_THAT(locations[0], IsEmpty());
  EXPECT_THAT(locations[1], IsEmpty());
  EXPECT_FALSE(locations[2].empty());
  EXPECT_FALSE(locations[3].empty());
  EXPECT_THAT(locations[4], IsEmpty());
}

TEST(Symbolizer, FindsAnUnloadedModuleByItsGeneration) {
  std::vector<Module> modules = OwnModules();
  Outer();
  for (Module& module : modules) module.generation = 5;
  uint64_t pc = (uint64_t{5} << 48) | inlined_pc;
  auto locations = FramesOf(NameAll(modules, {inlined_pc, pc}));
  ASSERT_EQ(locations.size(), 2u);
  EXPECT_THAT(locations[0], IsEmpty());
  EXPECT_EQ(locations[1].size(), 2u);
}

TEST(Symbolizer, LooksAtTheCallAndNotAtWhatFollows) {
  // The first byte of a function, taken as a return address, is the end of
  // what stands before it.
  uint64_t start = reinterpret_cast<uint64_t>(&Outer);
  auto locations = FramesOf(NameAll(OwnModules(), {start, start + 1}));
  EXPECT_TRUE(locations[0].empty() ||
              locations[0].back().function !=
                  "heaptally::(anonymous namespace)::Outer()");
  EXPECT_EQ(locations[1].back().function,
            "heaptally::(anonymous namespace)::Outer()");
}

TEST(Symbolizer, ReportsAModuleThatWasReplaced) {
  Outer();
  std::vector<Module> modules = OwnModules();
  std::string on_disk = modules[0].build_id;
  modules[0].build_id = "00112233";
  Names names = NameAll(modules, {inlined_pc});
  ASSERT_EQ(names.missing.size(), 1u);
  EXPECT_EQ(names.missing[0].module, modules[0].path);
  EXPECT_EQ(names.missing[0].build_id, "00112233");
  EXPECT_EQ(names.missing[0].hint,
            "the file was replaced: it has " +
                (on_disk.empty() ? "no build id" : "build id " + on_disk) +
                "; put the debug file of the recorded build at "
                "/usr/lib/debug/.build-id/00/112233.debug");
  EXPECT_THAT(FramesOf(names), ElementsAre(IsEmpty()));
}

TEST(Symbolizer, SaysNothingOfMemoryThatIsNotAFile) {
  std::vector<Module> modules = {{0x1000, 0x2000, 0x1000, 0, "", "[vdso]"}};
  Names names = NameAll(modules, {0x1234});
  EXPECT_THAT(names.missing, IsEmpty());
  EXPECT_THAT(FramesOf(names), ElementsAre(IsEmpty()));
}

}  // namespace
}  // namespace heaptally
