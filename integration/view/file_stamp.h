// By what a file is known to be the one that was read before. Reads the file
// system; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_FILE_STAMP_H_
#define HEAPTALLY_INTEGRATION_VIEW_FILE_STAMP_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace heaptally::view {

struct FileStamp {
  uint64_t bytes = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t changed_ns = 0;

  // All zero if there is no such file.
  static FileStamp Of(const std::string& path) {
    struct stat info = {};
    if (stat(path.c_str(), &info) != 0) return {};
    return {
        static_cast<uint64_t>(info.st_size), info.st_dev, info.st_ino,
        int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
  }
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_FILE_STAMP_H_
