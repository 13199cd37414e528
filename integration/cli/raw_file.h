// The file into which a process writes its raw snapshot: in the folder of the
// final file, so that there is room of the same kind, but without a name, so
// that nothing is left behind when we are interrupted. Not thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_RAW_FILE_H_
#define HEAPTALLY_INTEGRATION_CLI_RAW_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace heaptally::cli {

class RawFile {
 public:
  // `target` is the name of the final file; it is not touched, but the errors
  // are about it: a folder that is missing or may not be written to.
  static absl::StatusOr<RawFile> CreateFor(const std::string& target);

  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&&) = delete;
  ~RawFile();

  int fd() const { return fd_; }
  // A path under which the file can be read while this object lives.
  std::string path() const;

 private:
  explicit RawFile(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_RAW_FILE_H_
