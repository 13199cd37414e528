// The arguments PID, --socket-dir and --json of the commands that talk to a
// running process. Not thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_LIVE_PROCESS_H_
#define HEAPTALLY_INTEGRATION_CLI_LIVE_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "integration/cli/arguments.h"
#include "integration/control/client.h"

namespace heaptally::cli {

class LiveProcess {
 public:
  // The options only; the commands declare PID where it stands.
  void DeclareOptions(Arguments& arguments);

  absl::StatusOr<control::Client> Connect(const std::string& pid) const;

  std::string socket_dir() const { return socket_dir_.value_or(""); }
  bool json() const { return json_; }

 private:
  std::optional<std::string> socket_dir_;
  bool json_ = false;
};

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_LIVE_PROCESS_H_
