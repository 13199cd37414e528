// The tool's side of the control socket (see protocol.h): finds the programs
// that run under heaptally, and asks one of them something. Every error is one
// sentence for the user. Not thread-safe; a client talks to one process.
#ifndef HEAPTALLY_INTEGRATION_CONTROL_CLIENT_H_
#define HEAPTALLY_INTEGRATION_CONTROL_CLIENT_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace heaptally::control {

// The `key=value` lines of a reply, values unescaped.
using Facts = std::map<std::string, std::string>;

// 0 if there is no such key or it is no number.
uint64_t FactAsNumber(const Facts& facts, const std::string& key);

struct SnapshotReply {
  uint64_t pause_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t bytes = 0;
  uint32_t epoch = 0;
  bool quiesced = false;
  bool forked = false;
};

class Client {
 public:
  // `directory` is where to look; empty: where the process's own user's sockets
  // are by default. Removes the socket of a process that is gone.
  static absl::StatusOr<Client> Connect(pid_t pid,
                                        const std::string& directory = "");

  Client(Client&& other) noexcept;
  Client& operator=(Client&& other) noexcept;
  ~Client();

  // Gives up a request after this long; 30 s at first. A snapshot in progress
  // is waited for as long as its process lives.
  void set_timeout_ms(int timeout_ms) { timeout_ms_ = timeout_ms; }

  // Asked now and then while a snapshot is waited for; true gives it up, with
  // the status Cancelled. The process gives up its part when the client ends.
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  absl::StatusOr<Facts> Stat();

  // `mode` is counters, sampled=BYTES or all.
  absl::StatusOr<Facts> Record(absl::string_view mode);
  absl::Status ResetPeak();

  // Writes to `fd`, a regular file open for writing; what it held is lost.
  // Waits for its turn while another client takes one.
  // `progress` hears the bytes written so far.
  absl::StatusOr<SnapshotReply> Snapshot(
      int fd, absl::string_view label,
      const std::function<void(uint64_t)>& progress = nullptr);

 private:
  Client(pid_t pid, int socket) : pid_(pid), socket_(socket) {}

  absl::StatusOr<SnapshotReply> SnapshotOnce(
      int fd, absl::string_view label,
      const std::function<void(uint64_t)>& progress);
  absl::Status Send(const std::string& request, int fd);
  absl::StatusOr<std::string> Receive(int timeout_ms);
  absl::StatusOr<Facts> Ask(const std::string& request);
  absl::Status Gone() const;

  pid_t pid_;
  int socket_;
  int timeout_ms_ = 30000;
  std::function<bool()> stop_;
};

// The processes that can be connected to, ascending. `directory` as above, for
// this user. Sockets of processes that are gone are removed.
absl::StatusOr<std::vector<pid_t>> ListProcesses(
    const std::string& directory = "");

// The directories in which this user's sockets may be.
std::vector<std::string> SocketDirectories(uid_t uid);

}  // namespace heaptally::control

#endif  // HEAPTALLY_INTEGRATION_CONTROL_CLIENT_H_
