// Preparing analyses of snapshots, and reading snapshots again that were let go
// of meanwhile.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "integration/view/session.h"
#include "snapshot/reader.h"

namespace heaptally::view {
namespace {

// {"3"} or {"3", "5"}.
std::vector<std::string> PartsOf(const std::string& of) {
  return absl::StrSplit(of, "..");
}

}  // namespace

absl::StatusOr<Session::Opened> Session::Open(const std::string& of) {
  const std::vector<std::string> ids = PartsOf(of);
  if (of.empty() || ids.size() > 2) {
    return absl::InvalidArgumentError(
        "of has to name a snapshot, 3, or two of them, 3..5");
  }
  std::string title = "Preparing ";
  for (const std::string& id : ids) {
    const absl::StatusOr<Entry> entry = Ready(id);
    if (!entry.ok()) return entry.status();
    absl::StrAppend(&title, &id == &ids[0] ? "" : " and ", entry->name);
  }
  if (std::shared_ptr<const Analysis> found = cache_.FindAnalysis(of)) {
    return Opened{std::move(found), ""};
  }
  const std::lock_guard<std::mutex> lock(opening_);
  if (const std::shared_ptr<Task> running = tasks_.Opening(of)) {
    return Opened{nullptr, running->id()};
  }
  // It may have ended between the two looks.
  if (std::shared_ptr<const Analysis> found = cache_.FindAnalysis(of)) {
    return Opened{std::move(found), ""};
  }
  const auto work = [this, of](Task& task) { return Prepare(of, task); };
  return Opened{nullptr,
                tasks_.Start({TaskKind::kOpen, title, "", of}, work)->id()};
}

// The page will ask for it next; but of many files that were given at once only
// the last one is prepared unasked.
void Session::OpenUnlessBusy(const std::string& id) {
  size_t pending = 0;
  for (const Entry& entry : entries_.All()) {
    pending += entry.state == EntryState::kPending;
  }
  if (pending == 0) Open(id).IgnoreError();
}

absl::Status Session::Prepare(const std::string& of, Task& task) {
  std::vector<std::shared_ptr<const Snapshot>> snapshots;
  for (const std::string& id : PartsOf(of)) {
    absl::StatusOr<std::shared_ptr<const Snapshot>> snapshot =
        SnapshotOf(id, task);
    if (!snapshot.ok()) return snapshot.status();
    snapshots.push_back(*std::move(snapshot));
  }
  task.Enter(TaskPhase::kPreparing);
  const PrepareProgress progress = [&task](uint64_t done, uint64_t total) {
    return task.Advance(done, total);
  };
  absl::StatusOr<std::shared_ptr<const Analysis>> analysis =
      snapshots.size() == 1
          ? Analysis::OfSnapshot(snapshots[0], progress)
          : Analysis::OfPair(snapshots[0], snapshots[1], progress);
  if (!analysis.ok()) return analysis.status();
  if (absl::Status status = task.CheckCancelled(); !status.ok()) return status;
  cache_.PutAnalysis(of, *std::move(analysis));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Snapshot>> Session::SnapshotOf(
    const std::string& id, Task& task) {
  const absl::StatusOr<Entry> entry = Ready(id);
  if (!entry.ok()) return entry.status();
  if (std::shared_ptr<const Snapshot> held = cache_.FindSnapshot(id)) {
    return held;
  }
  if (absl::Status status = CheckUnchanged(*entry); !status.ok()) {
    return status;
  }
  task.Enter(TaskPhase::kReading, entry->stamp.bytes);
  absl::StatusOr<Snapshot> read = ReadSnapshot(entry->file);
  if (!read.ok()) return read.status();
  if (!read->names.present()) {
    if (absl::Status status = AddNamesTo(*read, task); !status.ok()) {
      return status;
    }
  }
  if (entry->in_session) read->path = entry->name;
  auto snapshot = std::make_shared<const Snapshot>(*std::move(read));
  cache_.PutSnapshot(id, snapshot);
  return snapshot;
}

}  // namespace heaptally::view
