#include "snapshot/debug_package.h"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace heaptally {
namespace {

// Debian's /lib, /bin and /sbin are links into /usr, but the lists and the
// loader may each use either name.
std::string WithoutUsr(std::string_view path) {
  if (path.starts_with("/usr/lib") || path.starts_with("/usr/bin/") ||
      path.starts_with("/usr/sbin/")) {
    path.remove_prefix(4);
  }
  return std::string(path);
}

// The file itself too, where `path` is a link to it.
void AddSpellings(const std::string& path,
                  std::unordered_map<std::string, std::string>& wanted) {
  std::error_code error;
  std::string real = std::filesystem::canonical(path, error).native();
  wanted.emplace(WithoutUsr(path), path);
  if (!error) wanted.emplace(WithoutUsr(real), path);
}

std::string ReadWhole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string text;
  if (!file) return text;
  text.resize(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

}  // namespace

std::unordered_map<std::string, std::string> OwningPackages(
    const std::vector<std::string>& paths, const std::string& lists) {
  std::unordered_map<std::string, std::string> owners;
  std::unordered_map<std::string, std::string> wanted;
  for (const std::string& path : paths) AddSpellings(path, wanted);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(lists, error)) {
    if (entry.path().extension() != ".list") continue;
    std::string package = entry.path().stem().native();
    package = package.substr(0, package.find(':'));
    std::string text = ReadWhole(entry.path());
    std::string_view rest = text;
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      auto found = wanted.find(WithoutUsr(line));
      if (found != wanted.end()) owners.emplace(found->second, package);
    }
  }
  return owners;
}

std::string DebugPackageOf(const std::string& package) {
  return package == "libc6" ? "libc6-dbg" : package + "-dbgsym";
}

}  // namespace heaptally
