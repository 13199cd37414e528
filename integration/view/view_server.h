// `heaptally view` from its options to its end: session, port, page, signals.
// Used by the main thread.
#ifndef HEAPTALLY_INTEGRATION_VIEW_VIEW_SERVER_H_
#define HEAPTALLY_INTEGRATION_VIEW_VIEW_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace heaptally::view {

struct ViewOptions {
  std::string version;
  std::vector<pid_t> processes;
  std::vector<std::string> files;
  std::string socket_directory;
  std::vector<std::string> sources;
  std::vector<std::pair<std::string, std::string>> source_maps;  // From, to.
  uint16_t port = 0;  // 0: any free one.
  bool open_browser = true;
};

// Returns when the user has ended it. `address` is told where the page is;
// `say` gets lines for the terminal.
absl::Status ServeView(const ViewOptions& options,
                       const std::function<void(const std::string&)>& address,
                       const std::function<void(const std::string&)>& say);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_VIEW_SERVER_H_
