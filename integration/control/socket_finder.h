// Finds and opens control sockets, for the client. Errors say which of the many
// reasons it is that a process does not answer.
#ifndef HEAPTALLY_INTEGRATION_CONTROL_SOCKET_FINDER_H_
#define HEAPTALLY_INTEGRATION_CONTROL_SOCKET_FINDER_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"

namespace heaptally::control {

// A connected socket that the caller closes.
absl::StatusOr<int> ConnectToProcess(pid_t pid, const std::string& directory);

}  // namespace heaptally::control

#endif  // HEAPTALLY_INTEGRATION_CONTROL_SOCKET_FINDER_H_
