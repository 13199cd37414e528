#include "integration/cli/snapshot_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace heaptally::cli {
namespace {

constexpr size_t kLongestCommand = 64;

// What is safe in a file name and needs no quotes in a shell.
std::string Plain(absl::string_view command) {
  command = command.substr(0, command.find(' '));
  command = command.substr(command.rfind('/') + 1);
  std::string plain;
  for (char c : command.substr(0, kLongestCommand)) {
    const bool kept = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                      c == '_' || c == '+' || c == '.' || c == '-';
    plain += kept ? c : '_';
  }
  while (!plain.empty() && (plain[0] == '-' || plain[0] == '.')) {
    plain.erase(0, 1);
  }
  return plain.empty() ? "process" : plain;
}

}  // namespace

std::string DefaultSnapshotName(absl::string_view command, pid_t pid,
                                time_t now) {
  tm local = {};
  localtime_r(&now, &local);
  char time[32];
  strftime(time, sizeof(time), "%Y%m%d-%H%M%S", &local);
  return absl::StrCat(Plain(command), "-", pid, "-", time, ".heaptally");
}

}  // namespace heaptally::cli
