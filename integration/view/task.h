// A piece of work that takes long enough for somebody to watch it and to cancel
// it. Thread-safe: one thread works, others look.
#ifndef HEAPTALLY_INTEGRATION_VIEW_TASK_H_
#define HEAPTALLY_INTEGRATION_VIEW_TASK_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace heaptally::view {

enum class TaskKind { kTake, kLoad, kOpen };
enum class TaskPhase {
  kWaiting,
  kCapturing,
  kReading,
  kNaming,
  kPacking,
  kPreparing
};
enum class TaskState { kRunning, kDone, kFailed, kCancelled };

// What it is about; does not change.
struct TaskSubject {
  TaskKind kind = TaskKind::kOpen;
  std::string title;
  std::string entry = {};  // Of take and load.
  std::string of = {};     // Of open: "3" or "3..5".
};

class Task {
 public:
  struct Progress {
    TaskPhase phase = TaskPhase::kWaiting;
    uint64_t done = 0;
    std::optional<uint64_t> total = {};
  };

  Task(std::string id, TaskSubject subject)
      : id_(std::move(id)), subject_(std::move(subject)) {}

  const std::string& id() const { return id_; }
  const TaskSubject& subject() const { return subject_; }

  // For the worker.
  void Enter(TaskPhase phase, std::optional<uint64_t> total = {});
  void Advance(uint64_t done) { done_.store(done, std::memory_order_relaxed); }
  // Both at once, as analyses tell it; false: stop.
  bool Advance(uint64_t done, uint64_t total);
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  absl::Status CheckCancelled() const;
  void Finish(const absl::Status& status);

  // For those who watch.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  Progress progress() const;
  TaskState state() const;
  std::string error() const;
  std::chrono::milliseconds elapsed() const;
  // Since it ended; 0 while it runs.
  std::chrono::milliseconds finished_for() const;

 private:
  using Clock = std::chrono::steady_clock;

  const std::string id_;
  const TaskSubject subject_;
  const Clock::time_point started_ = Clock::now();
  std::atomic<bool> cancelled_{false};
  std::atomic<uint64_t> done_{0};
  mutable std::mutex mutex_;
  TaskPhase phase_ = TaskPhase::kWaiting;
  std::optional<uint64_t> total_;
  TaskState state_ = TaskState::kRunning;
  std::string error_;
  Clock::time_point ended_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_TASK_H_
