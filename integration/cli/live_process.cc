#include "integration/cli/live_process.h"

#include "absl/strings/str_cat.h"
#include "integration/cli/values.h"

namespace heaptally::cli {

void LiveProcess::DeclareOptions(Arguments& arguments) {
  arguments.Value("--socket-dir", "DIR",
                  "Where the control sockets are, if run was given another "
                  "folder than the usual one.",
                  &socket_dir_);
  arguments.Flag("--json", "Print JSON with exact bytes.", &json_);
}

absl::StatusOr<control::Client> LiveProcess::Connect(
    const std::string& text) const {
  const absl::StatusOr<pid_t> pid = ParsePid(text);
  if (!pid.ok()) return pid.status();
  absl::StatusOr<control::Client> client =
      control::Client::Connect(*pid, socket_dir());
  if (absl::IsNotFound(client.status())) {
    return absl::NotFoundError(
        absl::StrCat(client.status().message(),
                     "; heaptally ps lists the processes under heaptally"));
  }
  return client;
}

}  // namespace heaptally::cli
