#include "integration/cli/program_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "integration/cli/preloading.h"

namespace heaptally::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ProgramFile : public ::testing::Test {
 protected:
  ProgramFile() {
    char pattern[] = "/tmp/heaptally_program_XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~ProgramFile() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes,
                    mode_t mode = 0755) {
    std::string path = absl::StrCat(folder_, "/", name);
    std::ofstream(path, std::ios::binary) << bytes;
    chmod(path.c_str(), mode);
    return path;
  }

  // An ELF file without segments, or with an interpreter.
  static std::string Elf(const std::string& interpreter,
                         unsigned char elf_class = ELFCLASS64) {
    Elf64_Ehdr header = {};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = elf_class;
    header.e_type = ET_DYN;
#if defined(__aarch64__)
    header.e_machine = EM_AARCH64;
#else
    header.e_machine = EM_X86_64;
#endif
    header.e_phoff = sizeof(header);
    header.e_phnum = interpreter.empty() ? 0 : 1;
    Elf64_Phdr segment = {};
    segment.p_type = PT_INTERP;
    segment.p_offset = sizeof(header) + sizeof(segment);
    segment.p_filesz = interpreter.size() + 1;
    std::string bytes(reinterpret_cast<char*>(&header), sizeof(header));
    bytes.append(reinterpret_cast<char*>(&segment), sizeof(segment));
    bytes.append(interpreter.c_str(), interpreter.size() + 1);
    return bytes;
  }

  std::string folder_;
};

TEST_F(ProgramFile, ANameIsSearchedInTheFoldersOfThePath) {
  Write("tool", "x", 0644);
  const std::string other = absl::StrCat(folder_, "/bin");
  mkdir(other.c_str(), 0755);
  Write("bin/tool", "x");
  EXPECT_EQ(*FindProgram("tool", absl::StrCat(folder_, ":", other)),
            absl::StrCat(other, "/tool"));
}

TEST_F(ProgramFile, AMissingProgramIsNamed) {
  EXPECT_EQ(FindProgram("no-such-program", folder_).status().message(),
            "cannot find the program no-such-program in PATH");
  EXPECT_EQ(FindProgram("/no/such", folder_).status().message(),
            "cannot run /no/such: No such file or directory");
}

TEST_F(ProgramFile, AFileThatIsNotExecutableIsNamedWithTheWayOut) {
  const std::string path = Write("data", "x", 0644);
  EXPECT_EQ(FindProgram("data", folder_).status().message(),
            absl::StrCat("cannot run ", path,
                         ": it is not executable (chmod +x ", path, ")"));
  EXPECT_THAT(std::string(FindProgram(folder_, "").status().message()),
              HasSubstr("it is a folder"));
}

TEST_F(ProgramFile, ADynamicProgramCanBePreloaded) {
  EXPECT_TRUE(
      CheckPreloadable(Write("a", Elf("/lib64/ld-linux-x86-64.so.2"))).ok());
  EXPECT_TRUE(CheckPreloadable(Write("ld-linux-x86-64.so.2", Elf(""))).ok());
  EXPECT_TRUE(CheckPreloadable("/bin/ls").ok());
}

TEST_F(ProgramFile, AStaticProgramIsRefused) {
  const std::string path = Write("a", Elf(""));
  EXPECT_EQ(CheckPreloadable(path).message(),
            absl::StrCat(path,
                         " is statically linked, so nothing can be preloaded "
                         "into it; link it with libheaptally.a or build it "
                         "dynamically"));
}

TEST_F(ProgramFile, AnotherMachineOrLibraryIsRefused) {
  EXPECT_THAT(
      std::string(
          CheckPreloadable(Write("a", Elf("/lib/ld", ELFCLASS32))).message()),
      HasSubstr("another machine or word size"));
  EXPECT_THAT(
      std::string(CheckPreloadable(Write("b", Elf("/lib/ld-musl-x86_64.so.1")))
                      .message()),
      HasSubstr("needs glibc"));
}

TEST_F(ProgramFile, TruncatedAndEmptyFilesAreLeftToTheKernel) {
  EXPECT_TRUE(CheckPreloadable(Write("a", "")).ok());
  EXPECT_TRUE(CheckPreloadable(Write("b", "\177ELF")).ok());
}

TEST_F(ProgramFile, ReadsTheFirstLineOfAScript) {
  EXPECT_THAT(InterpreterLine(Write("a", "#! /bin/sh -e  x \necho\n")),
              ElementsAre("/bin/sh", "-e  x"));
  EXPECT_THAT(InterpreterLine(Write("b", "#!/bin/sh")), ElementsAre("/bin/sh"));
  EXPECT_THAT(InterpreterLine(Write("c", "echo")), IsEmpty());
}

TEST_F(ProgramFile, AScriptIsRunAsItIs) {
  const std::string path = Write("a", "#!/bin/sh\n");
  const auto program = ResolveProgram({path, "x"}, "/bin");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->path, path);
  EXPECT_THAT(program->arguments, ElementsAre(path, "x"));
}

TEST_F(ProgramFile, AScriptOfEnvIsRunByItsRealInterpreter) {
  const std::string path = Write("a", "#!/usr/bin/env sh\n");
  const auto program = ResolveProgram({path, "x"}, "/bin");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->path, "/bin/sh");
  EXPECT_THAT(program->arguments, ElementsAre("sh", path, "x"));
}

TEST_F(ProgramFile, ArgumentsOfEnvAreSplitAsEnvDoes) {
  const std::string path = Write("a", "#!/usr/bin/env -S sh -e -u\n");
  const auto program = ResolveProgram({path, "x"}, "/bin");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(program->arguments, ElementsAre("sh", "-e", "-u", path, "x"));
}

TEST_F(ProgramFile, AScriptOfAStaticInterpreterIsRefused) {
  const std::string interpreter = Write("interpreter", Elf(""));
  const std::string path = Write("a", absl::StrCat("#!", interpreter, "\n"));
  EXPECT_THAT(std::string(ResolveProgram({path}, "").status().message()),
              HasSubstr(absl::StrCat(interpreter, " is statically linked")));
}

TEST_F(ProgramFile, OnlyASetUidProgramOfAnotherUserGainsPrivileges) {
  const std::string path = Write("a", Elf("/lib64/ld-linux-x86-64.so.2"));
  // Only root can give a file away.
  const bool others = chown(path.c_str(), getuid() + 1, getgid()) == 0;
  chmod(path.c_str(), 04755);
  const auto program = ResolveProgram({path}, "");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->gains_privileges, others);
}

}  // namespace
}  // namespace heaptally::cli
