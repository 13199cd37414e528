// Taking a snapshot: the process writes it raw into a file without a name; then
// it gets names and becomes a file of the session folder.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "integration/view/session.h"
#include "snapshot/packer.h"
#include "snapshot/reader.h"
#include "snapshot/symbolizer.h"
#include "snapshot/writer.h"

namespace heaptally::view {
namespace {

constexpr size_t kLongestName = 4096;
constexpr std::chrono::milliseconds kLook{100};

}  // namespace

absl::StatusOr<std::string> Session::Take(pid_t pid, const std::string& name) {
  if (name.size() > kLongestName) {
    return absl::InvalidArgumentError(
        absl::StrCat("the name has ", name.size(), " bytes, and at most ",
                     kLongestName, " are kept; shorten it"));
  }
  absl::StatusOr<control::Client> client = processes_.Connect(pid);
  if (!client.ok()) return client.status();
  Entry entry;
  entry.name = name;
  entry.name_given = !name.empty();
  entry.in_file.label = name;
  entry.in_session = true;
  entry.facts.pid = static_cast<uint64_t>(pid);
  const std::string id = entries_.Add(std::move(entry));
  // The connection that was made, so that whatever has this pid by then is not
  // taken for the process.
  const auto connected = std::make_shared<control::Client>(*std::move(client));
  const auto work = [this, id, connected, name](Task& task) {
    return TakeInto(id, *connected, name, task);
  };
  const auto ended = [this, id](const Task&, const absl::Status& status) {
    if (status.ok()) return;
    Forget(id);
  };
  const std::shared_ptr<Task> task = tasks_.Start(
      {TaskKind::kTake, absl::StrCat("Snapshot of process ", pid), id}, work,
      ended);
  entries_.Change(id, [&task](Entry& added) {
    if (added.state == EntryState::kPending) added.task = task->id();
  });
  return task->id();
}

// The process knows that its disk is full, and we know which one that is.
absl::Status Session::WithWayOut(const absl::Status& status) const {
  const std::string message(status.message());
  if (!absl::StrContains(message, "disk is full")) return status;
  return absl::Status(
      status.code(),
      absl::StrCat(message, "; make room in ", folder_->path(),
                   ", or set XDG_RUNTIME_DIR to a folder elsewhere"));
}

absl::Status Session::TakeInto(const std::string& id, control::Client& client,
                               const std::string& label, Task& task) {
  task.Enter(TaskPhase::kCapturing);
  client.set_stop([&task] { return task.cancelled(); });
  const absl::StatusOr<FileHandle> raw = folder_->NamelessFile();
  if (!raw.ok()) return raw.status();
  const absl::StatusOr<control::SnapshotReply> reply = client.Snapshot(
      raw->get(), label, [&task](uint64_t bytes) { task.Advance(bytes); });
  if (!reply.ok()) return WithWayOut(reply.status());
  task.Enter(TaskPhase::kReading, reply->bytes);
  absl::StatusOr<Snapshot> read =
      ReadSnapshot(absl::StrCat("/proc/self/fd/", raw->get()));
  if (!read.ok()) {
    return absl::DataLossError(
        absl::StrCat("the process wrote a snapshot that cannot be read: ",
                     read.status().message()));
  }
  if (absl::Status named = AddNamesTo(*read, task); !named.ok()) return named;
  task.Enter(TaskPhase::kPacking);
  const std::string file = folder_->FileOf(id);
  read->path = label.empty() ? absl::StrCat("Snapshot ", id) : label;
  absl::Status written = WriteSnapshot(*read, file);
  written.Update(task.CheckCancelled());
  entries_.Change(id, [&](Entry& entry) { entry.file = file; });
  if (!written.ok()) return written;
  const auto snapshot = std::make_shared<const Snapshot>(*std::move(read));
  const EntryFacts facts = FactsOf(*snapshot);
  entries_.Change(id, [&](Entry& entry) {
    entry.facts = facts;
    entry.stamp = FileStamp::Of(file);
    entry.state = EntryState::kReady;
    entry.task.clear();
  });
  cache_.PutSnapshot(id, snapshot);
  OpenUnlessBusy(id);
  return absl::OkStatus();
}

absl::Status Session::AddNamesTo(Snapshot& snapshot, Task& task) {
  task.Enter(TaskPhase::kNaming);
  std::unique_lock<std::timed_mutex> turn(naming_, std::defer_lock);
  while (!turn.try_lock_for(kLook)) {
    if (absl::Status status = task.CheckCancelled(); !status.ok()) {
      return status;
    }
  }
  Symbolizer symbolizer;
  symbolizer.set_progress([&task](uint64_t done, uint64_t total) {
    return task.Advance(done, total);
  });
  return AddNames(snapshot, symbolizer);
}

}  // namespace heaptally::view
