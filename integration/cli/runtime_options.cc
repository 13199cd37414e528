#include "integration/cli/runtime_options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "accounting/options.h"
#include "integration/cli/values.h"

namespace heaptally::cli {
namespace {

constexpr absl::string_view kSetByRun[] = {"control", "packer", "env"};

// A path that stays right when the program changes its folder.
absl::StatusOr<std::string> AbsolutePath(const std::string& option,
                                         const std::string& text) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(text, error);
  if (text.empty() || error) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, " needs the name of a file or folder"));
  }
  if (path.string().size() >= kMaxOptionPath) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": the path is longer than ", kMaxOptionPath - 1,
                     " bytes: ", path.string()));
  }
  return path.lexically_normal().string();
}

// Says now what would only be noticed when the program ends.
absl::Status CheckTargetFolder(const std::string& option,
                               const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::error_code error;
  if (absl::StrContains(folder, "%p")) return absl::OkStatus();
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": ", path, " is a folder; name a file in it"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": cannot write into the folder ", folder, ": ",
                     strerror(errno)));
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<RuntimeOption>& AllRuntimeOptions() {
  static const auto* const options = new std::vector<RuntimeOption>{
#define HEAPTALLY_OPTION(name, values, default_value, help) \
  {#name, values, default_value, help},
#include "accounting/options.def"
#undef HEAPTALLY_OPTION
  };
  return *options;
}

std::vector<RuntimeOption> RunOptions() {
  std::vector<RuntimeOption> options;
  for (const RuntimeOption& option : AllRuntimeOptions()) {
    bool offered = true;
    for (absl::string_view name : kSetByRun) offered &= option.name != name;
    if (offered) options.push_back(option);
  }
  return options;
}

std::string FlagName(const RuntimeOption& option) {
  return absl::StrCat("--", absl::StrReplaceAll(option.name, {{"_", "-"}}));
}

std::string ValueName(const RuntimeOption& option) {
  if (absl::StrContains(option.values, '|')) {
    return absl::AsciiStrToUpper(option.name);
  }
  const bool number =
      option.values == "count" || absl::StrContains(option.values, "..");
  return number ? "N" : absl::AsciiStrToUpper(option.values);
}

std::string RunHelp(const RuntimeOption& option) {
  const std::string default_value =
      option.name == "mode" ? "all" : option.default_value;
  std::vector<std::string> remarks;
  if (absl::StrContains(option.values, '|') ||
      absl::StrContains(option.values, "..")) {
    remarks.push_back(absl::StrReplaceAll(option.values, {{" | ", ", "}}));
  }
  if (!default_value.empty()) {
    remarks.push_back(absl::StrCat("default ", default_value));
  }
  if (remarks.empty()) return option.help;
  return absl::StrCat(option.help, " (", absl::StrJoin(remarks, "; "), ")");
}

absl::StatusOr<std::string> CheckOption(const RuntimeOption& option,
                                        const std::string& text) {
  const std::string flag = FlagName(option);
  if (option.name == "mode") return ParseMode(text);
  if (option.values == "bytes") {
    const absl::StatusOr<uint64_t> bytes = ParseByteSize(flag, text);
    if (!bytes.ok()) return bytes.status();
    return absl::StrCat(*bytes);
  }
  if (option.values == "FILE" || option.values == "DIR") {
    absl::StatusOr<std::string> path = AbsolutePath(flag, text);
    if (!path.ok() || option.values == "DIR") return path;
    if (absl::Status status = CheckTargetFolder(flag, *path); !status.ok()) {
      return status;
    }
    return path;
  }
  uint64_t least = 1;
  uint64_t most = Options().max_tracebacks;
  if (absl::StrContains(option.values, "..")) {
    const std::vector<std::string> range = absl::StrSplit(option.values, "..");
    least = std::stoull(range[0]);
    most = std::stoull(range[1]);
  }
  const absl::StatusOr<uint64_t> count = ParseCount(flag, text, least, most);
  if (!count.ok()) return count.status();
  return absl::StrCat(*count);
}

bool HasOption(absl::string_view existing, const RuntimeSettings& options,
               absl::string_view name) {
  for (const auto& [set, value] : options) {
    if (set == name) return true;
  }
  const std::string beginning = absl::StrCat(name, "=");
  for (absl::string_view word : absl::StrSplit(existing, ',')) {
    if (absl::StartsWith(word, beginning)) return true;
  }
  return false;
}

std::string OptionsManual() {
  std::string out =
      "# Options of the runtime\n\n"
      "Generated by `heaptally docs options` from `accounting/options.def`, "
      "the table that\nthe runtime reads; a test compares.\n\n"
      "A program that runs on heaptally reads them once, at its start, from "
      "the\nenvironment variable `HEAPTALLY`, separated by commas:\n\n"
      "```sh\nHEAPTALLY=mode=all,at_exit=out-%p.heaptally ./program\n```\n\n"
      "Sizes take the suffixes K, M, G, KiB, MiB, GiB (powers of 1024). An "
      "unknown option\nor a bad value is named once on standard error, and the "
      "program runs on. The\nvariable is ignored in set-uid programs.\n\n"
      "| option | values | default | what it does |\n|---|---|---|---|\n";
  for (const RuntimeOption& option : AllRuntimeOptions()) {
    const std::string default_value =
        option.default_value.empty()
            ? "none"
            : absl::StrCat("`", option.default_value, "`");
    absl::StrAppend(&out, "| `", option.name, "` | ",
                    absl::StrReplaceAll(option.values, {{"|", "\\|"}}), " | ",
                    default_value, " | ", option.help, " |\n");
  }
  absl::StrAppend(&out,
                  "\n`heaptally run` takes these as options of its own, with "
                  "the mode `all` "
                  "unless told\notherwise: ");
  std::vector<std::string> flags;
  for (const RuntimeOption& option : RunOptions()) {
    flags.push_back(absl::StrCat("`", FlagName(option), "`"));
  }
  absl::StrAppend(&out, absl::StrJoin(flags, ", "),
                  ".\nIt sets `control`, `packer` and `env` itself.\n");
  return out;
}

}  // namespace heaptally::cli
