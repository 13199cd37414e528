#include "integration/view/task_list.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"

namespace heaptally::view {
namespace {

constexpr size_t kWorkers = 4;
constexpr std::chrono::minutes kKept{2};
constexpr size_t kMostKept = 200;

}  // namespace

TaskList::TaskList() {
  for (size_t i = 0; i < kWorkers; ++i) {
    workers_.emplace_back([this] { Serve(); });
  }
}

TaskList::~TaskList() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    for (const auto& task : tasks_) task->Cancel();
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::shared_ptr<Task> TaskList::Start(TaskSubject subject, Work work,
                                      Ended ended) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Forget();
    task = std::make_shared<Task>(absl::StrCat(next_++), std::move(subject));
    tasks_.push_back(task);
    queue_.push_back({task, std::move(work), std::move(ended)});
  }
  wake_.notify_one();
  return task;
}

void TaskList::Serve() {
  for (;;) {
    Queued queued;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      queued = std::move(queue_.front());
      queue_.pop_front();
    }
    Do(queued);
  }
}

void TaskList::Do(Queued& queued) {
  absl::Status status = queued.task->CheckCancelled();
  if (status.ok()) {
    try {
      status = queued.work(*queued.task);
    } catch (const std::exception& error) {
      // Libraries below us throw, for one when memory runs out.
      status = absl::ResourceExhaustedError(
          absl::StrCat("it could not be done: ", error.what(),
                       "; clear snapshots that are not needed, and try again"));
    }
  }
  if (queued.ended) queued.ended(*queued.task, status);
  queued.task->Finish(status);
}

void TaskList::Forget() {
  size_t over = tasks_.size() > kMostKept ? tasks_.size() - kMostKept : 0;
  tasks_.erase(std::remove_if(tasks_.begin(), tasks_.end(),
                              [&over](const std::shared_ptr<Task>& task) {
                                if (task->state() == TaskState::kRunning)
                                  return false;
                                if (task->finished_for() > kKept) return true;
                                return over > 0 && over-- > 0;
                              }),
               tasks_.end());
}

std::shared_ptr<Task> TaskList::Find(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& task : tasks_) {
    if (task->id() == id) return task;
  }
  return nullptr;
}

std::shared_ptr<Task> TaskList::Opening(const std::string& of) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& task : tasks_) {
    if (task->subject().kind == TaskKind::kOpen && task->subject().of == of &&
        task->state() == TaskState::kRunning && !task->cancelled()) {
      return task;
    }
  }
  return nullptr;
}

std::vector<std::shared_ptr<Task>> TaskList::All() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<Task>> shown;
  for (const auto& task : tasks_) {
    if (task->finished_for() <= kKept) shown.push_back(task);
  }
  return shown;
}

bool TaskList::AnyRunning(TaskKind kind) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(tasks_.begin(), tasks_.end(), [kind](const auto& task) {
    return task->subject().kind == kind && task->state() == TaskState::kRunning;
  });
}

}  // namespace heaptally::view
