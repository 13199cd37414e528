// The lines of source around a frame. Reads files below the folders that the
// user named, and nothing else: not through `..`, not through a link that leads
// out. Immutable; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_SOURCE_FOLDERS_H_
#define HEAPTALLY_INTEGRATION_VIEW_SOURCE_FOLDERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "snapshot/snapshot.h"

namespace heaptally::view {

struct SourceLines {
  std::string path;
  uint64_t first = 1;  // Number of the first of `lines`.
  std::vector<std::string> lines;
};

class SourceFolders {
 public:
  // `maps`: a path that begins with the first is looked for under the second.
  // Errors: a folder that is none.
  static absl::StatusOr<SourceFolders> Create(
      const std::vector<std::string>& folders,
      const std::vector<std::pair<std::string, std::string>>& maps);

  const std::vector<std::string>& folders() const { return folders_; }

  // `file` as a snapshot names it. NotFound: a sentence with the way out.
  absl::StatusOr<SourceLines> Read(const std::string& file,
                                   uint64_t line) const;

 private:
  std::string Find(const std::string& file) const;
  // The real path, if it is a regular file below one of the folders; else "".
  std::string Allowed(const std::string& path) const;

  std::vector<std::string> folders_;  // Real paths; those of maps as well.
  std::vector<std::pair<std::string, std::string>> maps_;
};

// Whether `file` is the file of some frame of `snapshot`.
bool NamesFile(const Snapshot& snapshot, absl::string_view file);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_SOURCE_FOLDERS_H_
