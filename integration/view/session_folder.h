// The folder in which snapshots live until they are saved: readable by this
// user only, gone when the tool ends. A tool that was killed leaves its folder;
// the next start removes it. Used by one thread while it is made and removed;
// NewFile() by any.
#ifndef HEAPTALLY_INTEGRATION_VIEW_SESSION_FOLDER_H_
#define HEAPTALLY_INTEGRATION_VIEW_SESSION_FOLDER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "integration/view/file_handle.h"

namespace heaptally::view {

class SessionFolder {
 public:
  // Removes what killed tools have left and makes a folder of our own.
  static absl::StatusOr<std::unique_ptr<SessionFolder>> Create();
  // Removes the folder and all in it.
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

  const std::string& path() const { return path_; }
  // What was removed at the start, as a sentence; empty if nothing was.
  const std::string& recovered() const { return recovered_; }

  std::string FileOf(absl::string_view entry) const;
  // A file for reading and writing without a name: gone when it is closed.
  absl::StatusOr<FileHandle> NamelessFile() const;
  uint64_t FreeBytes() const;

 private:
  SessionFolder() = default;

  std::string path_;
  FileHandle lock_;  // Locked as long as we live.
  std::string recovered_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_SESSION_FOLDER_H_
