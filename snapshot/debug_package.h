// Which Debian package brings the debug information of a file. Reads the
// package manager's lists of files directly; runs no program. Thread safe: no
// state.
#ifndef HEAPTALLY_SNAPSHOT_DEBUG_PACKAGE_H_
#define HEAPTALLY_SNAPSHOT_DEBUG_PACKAGE_H_

#include <string>
#include <unordered_map>
#include <vector>

namespace heaptally {

inline constexpr char kDpkgLists[] = "/var/lib/dpkg/info";

// The packages that own `paths`, by path; those that no package owns are left
// out. One pass over the lists, however many paths. `lists` is the folder that
// holds PACKAGE.list and PACKAGE:ARCHITECTURE.list.
std::unordered_map<std::string, std::string> OwningPackages(
    const std::vector<std::string>& paths,
    const std::string& lists = kDpkgLists);

// "libc6-dbg" for libc6, "redis-server-dbgsym" for redis-server.
std::string DebugPackageOf(const std::string& package);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_DEBUG_PACKAGE_H_
