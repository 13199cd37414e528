// Tasks and the threads that do them, a few at a time, in the order in which
// they came. Ended tasks stay in the list for a while, for the page to hear of
// them. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_TASK_LIST_H_
#define HEAPTALLY_INTEGRATION_VIEW_TASK_LIST_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "integration/view/task.h"

namespace heaptally::view {

class TaskList {
 public:
  using Work = std::function<absl::Status(Task&)>;
  // Hears of a task that has ended, also of one that never began.
  using Ended = std::function<void(const Task&, const absl::Status&)>;

  TaskList();
  // Cancels all and waits.
  ~TaskList();
  TaskList(const TaskList&) = delete;
  TaskList& operator=(const TaskList&) = delete;

  std::shared_ptr<Task> Start(TaskSubject subject, Work work,
                              Ended ended = nullptr);
  // Null if there is none.
  std::shared_ptr<Task> Find(const std::string& id) const;
  // The one that prepares `of`, while it runs; else null.
  std::shared_ptr<Task> Opening(const std::string& of) const;
  std::vector<std::shared_ptr<Task>> All() const;
  bool AnyRunning(TaskKind kind) const;

 private:
  struct Queued {
    std::shared_ptr<Task> task;
    Work work;
    Ended ended;
  };

  void Serve();
  static void Do(Queued& queued);
  void Forget();  // Under mutex_.

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  uint64_t next_ = 1;
  std::vector<std::shared_ptr<Task>> tasks_;
  std::deque<Queued> queue_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_TASK_LIST_H_
