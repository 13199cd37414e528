#include "integration/view/live_processes.h"

#include <algorithm>
#include <utility>

namespace heaptally::view {
namespace {

constexpr std::chrono::seconds kInterval{1};
// Nobody has looked for so long: no process is asked any more.
constexpr std::chrono::seconds kInterest{5};
constexpr std::chrono::milliseconds kFirstAnswer{600};
constexpr std::chrono::seconds kSeldom{5};
constexpr int kPatienceMs = 300;
constexpr int kCommandPatienceMs = 5000;

}  // namespace

LiveProcesses::LiveProcesses(std::string socket_directory,
                             std::vector<pid_t> first)
    : socket_directory_(std::move(socket_directory)),
      first_(std::move(first)),
      thread_([this] { Run(); }) {}

LiveProcesses::~LiveProcesses() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

absl::StatusOr<control::Client> LiveProcesses::Connect(pid_t pid) const {
  return control::Client::Connect(pid, socket_directory_);
}

absl::Status LiveProcesses::Record(pid_t pid, const std::string& mode) {
  absl::StatusOr<control::Client> client = Connect(pid);
  if (!client.ok()) return client.status();
  client->set_timeout_ms(kCommandPatienceMs);
  absl::Status status = client->Record(mode).status();
  if (status.ok()) AskOne(pid);
  return status;
}

absl::Status LiveProcesses::ResetPeak(pid_t pid) {
  absl::StatusOr<control::Client> client = Connect(pid);
  if (!client.ok()) return client.status();
  client->set_timeout_ms(kCommandPatienceMs);
  absl::Status status = client->ResetPeak();
  if (status.ok()) AskOne(pid);
  return status;
}

void LiveProcesses::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    const Clock::time_point now = Clock::now();
    const bool wanted =
        wanted_ != Clock::time_point() && now - wanted_ < kInterest;
    if (!wanted) {
      wake_.wait(lock);
    } else if (now - asked_ < kInterval && asked_ != Clock::time_point()) {
      wake_.wait_until(lock, asked_ + kInterval);
    } else {
      asked_ = now;
      lock.unlock();
      Ask();
      lock.lock();
      answered_.notify_all();
    }
  }
}

void LiveProcesses::Ask() {
  const absl::StatusOr<std::vector<pid_t>> listed =
      control::ListProcesses(socket_directory_);
  std::vector<pid_t> pids;
  if (listed.ok()) pids = *listed;
  // Of another user, or with its socket elsewhere: only asked by its pid.
  for (const pid_t pid : first_) {
    if (std::find(pids.begin(), pids.end(), pid) == pids.end()) {
      pids.push_back(pid);
    }
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Known& known : known_) {
      const bool there =
          std::find(pids.begin(), pids.end(), known.pid) != pids.end();
      if (!there && !known.process.gone()) known.process.MarkGone();
    }
  }
  for (const pid_t pid : pids) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stopping_) return;
      const Known* known = Current(pid);
      if (known != nullptr && known->not_before > Clock::now()) continue;
    }
    AskOne(pid);
  }
}

void LiveProcesses::AskOne(pid_t pid) {
  absl::StatusOr<control::Client> client = Connect(pid);
  if (!client.ok()) return Failed(pid, client.status());
  client->set_timeout_ms(kPatienceMs);
  absl::StatusOr<control::Facts> facts = client->Stat();
  if (!facts.ok()) return Failed(pid, facts.status());
  Heard(pid, *std::move(facts));
}

LiveProcesses::Known* LiveProcesses::Current(pid_t pid) {
  for (Known& known : known_) {
    if (known.pid == pid && !known.process.gone()) return &known;
  }
  return nullptr;
}

void LiveProcesses::Heard(pid_t pid, control::Facts facts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Known* known = Current(pid);
  if (known != nullptr && !known->process.facts().empty() &&
      !known->process.IsSame(facts)) {
    known->process.MarkGone();
    known = nullptr;
  }
  if (known == nullptr) {
    known_.push_back({pid, {}, {}});
    known = &known_.back();
  }
  known->process.Heard(std::move(facts), Clock::now());
}

void LiveProcesses::Failed(pid_t pid, const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Known* known = Current(pid);
  if (known != nullptr && absl::IsNotFound(status)) {
    known->process.MarkGone();
    return;
  }
  if (!absl::IsDeadlineExceeded(status)) return;
  if (known == nullptr) {
    known_.push_back({pid, {}, {}});
    known = &known_.back();
  }
  known->process.Failed(std::string(status.message()));
  known->not_before = Clock::now() + kSeldom;
}

void LiveProcesses::AwaitAnswer(std::unique_lock<std::mutex>& lock) {
  const Clock::time_point now = Clock::now();
  const bool stale =
      wanted_ == Clock::time_point() || now - wanted_ >= kInterest;
  wanted_ = now;
  wake_.notify_all();
  if (stale) answered_.wait_for(lock, kFirstAnswer);
}

std::vector<const LiveProcesses::Known*> LiveProcesses::InOrder() const {
  std::vector<const Known*> order;
  for (const Known& known : known_) order.push_back(&known);
  const auto rank = [this](const Known* known) {
    return std::find(first_.begin(), first_.end(), known->pid);
  };
  std::stable_sort(
      order.begin(), order.end(), [&rank](const Known* a, const Known* b) {
        return std::make_tuple(rank(a), a->process.gone(), a->pid) <
               std::make_tuple(rank(b), b->process.gone(), b->pid);
      });
  return order;
}

void LiveProcesses::WriteJson(const std::set<std::string>& with_entries,
                              JsonWriter& json) {
  std::unique_lock<std::mutex> lock(mutex_);
  AwaitAnswer(lock);
  const Clock::time_point now = Clock::now();
  json.BeginArray();
  for (const Known* known : InOrder()) {
    if (known->process.gone() &&
        with_entries.count(known->process.Text("process_id")) == 0) {
      continue;
    }
    known->process.WriteJson(known->pid, now, json);
  }
  json.EndArray();
}

void LiveProcesses::WriteOneJson(pid_t pid, JsonWriter& json) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Known* known = Current(pid);
  if (known == nullptr) return json.Null();
  known->process.WriteJson(pid, Clock::now(), json);
}

}  // namespace heaptally::view
