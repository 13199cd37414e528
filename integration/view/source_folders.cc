#include "integration/view/source_folders.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace heaptally::view {
namespace {

constexpr uint64_t kAround = 20;  // Lines before and behind.
constexpr off_t kLargestFile = off_t{32} << 20;
constexpr size_t kLongestLine = 2000;

std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(
      realpath(path.c_str(), nullptr), &free);
  return real == nullptr ? "" : real.get();
}

bool IsFolder(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool IsBelow(const std::string& path, absl::string_view folder) {
  if (folder == "/") return true;
  absl::string_view rest = path;
  return absl::ConsumePrefix(&rest, folder) && absl::StartsWith(rest, "/");
}

absl::StatusOr<std::string> RealFolder(const std::string& folder,
                                       absl::string_view option) {
  std::string real = RealPath(folder);
  if (real.empty() || !IsFolder(real)) {
    return absl::NotFoundError(absl::StrCat(
        option, ": there is no folder ", folder, "; name one that is there"));
  }
  return real;
}

}  // namespace

absl::StatusOr<SourceFolders> SourceFolders::Create(
    const std::vector<std::string>& folders,
    const std::vector<std::pair<std::string, std::string>>& maps) {
  SourceFolders sources;
  for (const std::string& folder : folders) {
    absl::StatusOr<std::string> real = RealFolder(folder, "--sources");
    if (!real.ok()) return real.status();
    sources.folders_.push_back(*std::move(real));
  }
  for (const auto& [from, to] : maps) {
    absl::StatusOr<std::string> real = RealFolder(to, "--source-map");
    if (!real.ok()) return real.status();
    sources.folders_.push_back(*real);
    sources.maps_.emplace_back(from, *std::move(real));
  }
  return sources;
}

std::string SourceFolders::Allowed(const std::string& path) const {
  const std::string real = RealPath(path);
  struct stat info = {};
  if (real.empty() || stat(real.c_str(), &info) != 0 ||
      !S_ISREG(info.st_mode) || info.st_size > kLargestFile) {
    return "";
  }
  const bool below = std::any_of(
      folders_.begin(), folders_.end(),
      [&real](const auto& folder) { return IsBelow(real, folder); });
  return below ? real : "";
}

// By the maps; as it stands; then below each folder with ever more of its
// beginning left out, as long as a folder's name stays that can be recognised.
std::string SourceFolders::Find(const std::string& file) const {
  for (const auto& [from, to] : maps_) {
    absl::string_view rest = file;
    if (!absl::ConsumePrefix(&rest, from)) continue;
    std::string found = Allowed(absl::StrCat(to, "/", rest));
    if (!found.empty()) return found;
  }
  if (absl::StartsWith(file, "/")) {
    std::string found = Allowed(file);
    if (!found.empty()) return found;
  }
  absl::string_view rest = absl::StripPrefix(file, "/");
  const bool relative = rest.size() == file.size();
  for (bool whole = true; !rest.empty(); whole = false) {
    const size_t slash = rest.find('/');
    if (slash == absl::string_view::npos && !(whole && relative)) break;
    for (const std::string& folder : folders_) {
      std::string found = Allowed(absl::StrCat(folder, "/", rest));
      if (!found.empty()) return found;
    }
    if (slash == absl::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return "";
}

absl::StatusOr<SourceLines> SourceFolders::Read(const std::string& file,
                                                uint64_t line) const {
  SourceLines source;
  source.path = Find(file);
  std::ifstream in;
  if (!source.path.empty()) in.open(source.path);
  if (!in.is_open()) {
    return absl::NotFoundError(absl::StrCat(
        file,
        " is not below a folder of sources; start heaptally view with "
        "--sources DIR, or with --source-map FROM=TO if it was built "
        "elsewhere."));
  }
  source.first = line > kAround ? line - kAround : 1;
  std::string text;
  for (uint64_t number = 1; number <= line + kAround; ++number) {
    if (!std::getline(in, text)) break;
    if (number < source.first) continue;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.size() > kLongestLine) text.resize(kLongestLine);
    source.lines.push_back(text);
  }
  if (source.lines.empty() || source.first + source.lines.size() <= line) {
    return absl::NotFoundError(
        absl::StrCat(source.path, " has no line ", line,
                     "; it is not the version that the program was built from, "
                     "name another folder with --sources DIR."));
  }
  return source;
}

bool NamesFile(const Snapshot& snapshot, absl::string_view file) {
  const Names& names = snapshot.names;
  uint32_t last = 0;
  for (const uint32_t offset : names.file) {
    if (offset == last) continue;
    last = offset;
    if (names.String(offset) == file) return true;
  }
  return false;
}

}  // namespace heaptally::view
