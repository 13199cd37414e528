// The processes that run under heaptally, asked once a second while somebody
// looks at them. Thread-safe; asks in a thread of its own.
#ifndef HEAPTALLY_INTEGRATION_VIEW_LIVE_PROCESSES_H_
#define HEAPTALLY_INTEGRATION_VIEW_LIVE_PROCESSES_H_

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "integration/control/client.h"
#include "integration/view/live_process.h"
#include "snapshot/json_writer.h"

namespace heaptally::view {

class LiveProcesses {
 public:
  // `first`: shown before the others, in this order.
  LiveProcesses(std::string socket_directory, std::vector<pid_t> first);
  ~LiveProcesses();
  LiveProcesses(const LiveProcesses&) = delete;
  LiveProcesses& operator=(const LiveProcesses&) = delete;

  absl::StatusOr<control::Client> Connect(pid_t pid) const;
  absl::Status Record(pid_t pid, const std::string& mode);
  absl::Status ResetPeak(pid_t pid);

  // An array; a process that has ended is in it if one of `with_entries`, which
  // are ids of processes, is its own. Keeps the asking going; the first call
  // waits for an answer.
  void WriteJson(const std::set<std::string>& with_entries, JsonWriter& json);
  // One of them; null if it is not known.
  void WriteOneJson(pid_t pid, JsonWriter& json);

 private:
  using Clock = LiveProcess::Clock;
  struct Known {
    pid_t pid = 0;
    LiveProcess process;
    Clock::time_point not_before;  // One that does not answer is asked seldom.
  };

  void Run();
  void Ask();
  void AskOne(pid_t pid);
  Known* Current(pid_t pid);  // Under mutex_: the one that has not ended.
  void Heard(pid_t pid, control::Facts facts);
  void Failed(pid_t pid, const absl::Status& status);
  void AwaitAnswer(std::unique_lock<std::mutex>& lock);
  std::vector<const Known*> InOrder() const;

  const std::string socket_directory_;
  const std::vector<pid_t> first_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable answered_;
  std::vector<Known> known_;
  Clock::time_point wanted_;
  Clock::time_point asked_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_LIVE_PROCESSES_H_
