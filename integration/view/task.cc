#include "integration/view/task.h"

namespace heaptally::view {

void Task::Enter(TaskPhase phase, std::optional<uint64_t> total) {
  const std::lock_guard<std::mutex> lock(mutex_);
  phase_ = phase;
  total_ = total;
  done_.store(0, std::memory_order_relaxed);
}

bool Task::Advance(uint64_t done, uint64_t total) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    total_ = total;
  }
  Advance(done);
  return !cancelled();
}

absl::Status Task::CheckCancelled() const {
  return cancelled() ? absl::CancelledError("cancelled") : absl::OkStatus();
}

void Task::Finish(const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_ = Clock::now();
  state_ = status.ok()                 ? TaskState::kDone
           : absl::IsCancelled(status) ? TaskState::kCancelled
                                       : TaskState::kFailed;
  error_ = std::string(status.message());
}

Task::Progress Task::progress() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {phase_, done_.load(std::memory_order_relaxed), total_};
}

TaskState Task::state() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

std::string Task::error() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

std::chrono::milliseconds Task::elapsed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto end = state_ == TaskState::kRunning ? Clock::now() : ended_;
  return std::chrono::duration_cast<std::chrono::milliseconds>(end - started_);
}

std::chrono::milliseconds Task::finished_for() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ == TaskState::kRunning) return std::chrono::milliseconds(0);
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() -
                                                               ended_);
}

}  // namespace heaptally::view
