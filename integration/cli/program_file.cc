#include "integration/cli/program_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "integration/cli/preloading.h"

namespace heaptally::cli {
namespace {

// As the kernel: an interpreter may be a script again, but not without end.
constexpr int kMostInterpreters = 5;
constexpr size_t kLongestInterpreterLine = 256;

bool IsRegular(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool IsExecutable(const std::string& path) {
  return IsRegular(path) && access(path.c_str(), X_OK) == 0;
}

absl::Status CheckExecutable(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(
        absl::StrCat("cannot run ", path, ": ", strerror(errno)));
  }
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot run ", path, ": it is a folder"));
  }
  if (!IsExecutable(path)) {
    return absl::PermissionDeniedError(absl::StrCat(
        "cannot run ", path, ": it is not executable (chmod +x ", path, ")"));
  }
  return absl::OkStatus();
}

std::string ReadBeginning(const std::string& path, size_t size) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

bool IsShell(absl::string_view path) {
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  for (absl::string_view shell : {"sh", "bash", "dash", "ksh", "zsh", "fish"}) {
    if (name == shell) return true;
  }
  return false;
}

// `#!/usr/bin/env NAME` and `#!/usr/bin/env -S NAME ARGS`: the words that env
// would run. Empty when env is asked for more than that.
std::vector<std::string> WordsOfEnv(const std::vector<std::string>& line) {
  if (line.size() != 2 || !absl::EndsWith(line[0], "/env")) return {};
  absl::string_view text = line[1];
  const bool split = absl::ConsumePrefix(&text, "-S");
  if (text.find_first_of("\\\"'$=#") != text.npos) return {};
  std::vector<std::string> words;
  if (split) {
    words = absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  } else {
    words = {std::string(text)};
  }
  if (words.empty() || absl::StartsWith(words[0], "-")) return {};
  return words;
}

}  // namespace

absl::StatusOr<std::string> FindProgram(absl::string_view name,
                                        absl::string_view search_path) {
  if (name.empty()) {
    return absl::InvalidArgumentError("the name of the program is empty");
  }
  if (absl::StrContains(name, '/')) {
    const std::string path = std::string(name);
    if (absl::Status status = CheckExecutable(path); !status.ok()) {
      return status;
    }
    return path;
  }
  std::string not_executable;
  for (absl::string_view folder : absl::StrSplit(search_path, ':')) {
    const std::string path =
        absl::StrCat(folder.empty() ? "." : folder, "/", name);
    if (IsExecutable(path)) return path;
    if (not_executable.empty() && IsRegular(path)) not_executable = path;
  }
  if (!not_executable.empty()) return CheckExecutable(not_executable);
  const std::string here = absl::StrCat("./", name);
  return absl::NotFoundError(absl::StrCat(
      "cannot find the program ", name, " in PATH",
      IsExecutable(here)
          ? absl::StrCat("; for the one in this folder write ", here)
          : ""));
}

std::vector<std::string> InterpreterLine(const std::string& path) {
  const std::string bytes = ReadBeginning(path, kLongestInterpreterLine);
  if (!absl::StartsWith(bytes, "#!")) return {};
  absl::string_view line = bytes;
  line = absl::StripAsciiWhitespace(line.substr(2, line.find('\n') - 2));
  const size_t end = line.find_first_of(" \t");
  std::vector<std::string> words = {std::string(line.substr(0, end))};
  if (end != line.npos) {
    words.emplace_back(absl::StripLeadingAsciiWhitespace(line.substr(end)));
  }
  return words;
}

absl::StatusOr<Program> ResolveProgram(const std::vector<std::string>& words,
                                       absl::string_view search_path) {
  absl::StatusOr<std::string> path = FindProgram(words[0], search_path);
  if (!path.ok()) return path.status();
  Program program = {*path, words};
  std::string file = *path;
  for (int i = 0; i < kMostInterpreters; ++i) {
    const std::vector<std::string> line = InterpreterLine(file);
    if (line.empty() || line[0].empty()) break;
    const std::vector<std::string> env_words = WordsOfEnv(line);
    if (i == 0 && !env_words.empty()) {
      path = FindProgram(env_words[0], search_path);
      if (!path.ok()) return path.status();
      // What env would have run, with the script in the place of argv[0].
      std::vector<std::string> arguments = env_words;
      arguments.push_back(file);
      arguments.insert(arguments.end(), program.arguments.begin() + 1,
                       program.arguments.end());
      program = {*path, std::move(arguments)};
      file = *path;
      continue;
    }
    file = line[0];
  }
  if (absl::Status status = CheckPreloadable(file); !status.ok()) {
    return status;
  }
  program.gains_privileges = GainsPrivileges(file);
  program.is_shell_script = file != program.path && IsShell(file);
  return program;
}

}  // namespace heaptally::cli
