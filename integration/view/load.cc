// Reading files that are there already: named by the user, or sent by the
// browser into the session folder.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "integration/view/session.h"
#include "integration/view/user_path.h"
#include "snapshot/reader.h"

namespace heaptally::view {
namespace {

constexpr size_t kLongestName = 255;

// "before load" of "/tmp/before load.heaptally".
std::string NameOfFile(const std::string& path) {
  absl::string_view name = path;
  name.remove_prefix(name.rfind('/') + 1);
  absl::ConsumeSuffix(&name, ".heaptally");
  return std::string(name.substr(0, kLongestName));
}

Entry::Words WordsOf(const Snapshot& snapshot) {
  return {std::string(snapshot.notes.Text("label")),
          std::string(snapshot.notes.Text("note"))};
}

}  // namespace

absl::StatusOr<std::string> Session::Load(const std::string& given) {
  const absl::StatusOr<std::string> path = UserPath(given);
  if (!path.ok()) return path.status();
  Entry entry;
  entry.name = NameOfFile(*path);
  entry.path = *path;
  entry.file = *path;
  entry.kept = true;
  const std::string id = entries_.Add(std::move(entry));
  return StartReading(id, absl::StrCat("Reading ", *path))->id();
}

std::string Session::Expect(const std::string& name, std::string* file) {
  Entry entry;
  entry.name = NameOfFile(name);
  entry.in_session = true;
  entry.kept = true;
  std::string id = entries_.Add(std::move(entry));
  *file = folder_->FileOf(id);
  entries_.Change(id, [&file](Entry& added) { added.file = *file; });
  return id;
}

std::string Session::Adopt(const std::string& entry, const std::string& name) {
  return StartReading(entry, absl::StrCat("Reading ", name))->id();
}

std::shared_ptr<Task> Session::StartReading(const std::string& id,
                                            const std::string& title) {
  const auto work = [this, id](Task& task) { return ReadInto(id, task); };
  const auto ended = [this, id](const Task&, const absl::Status& status) {
    if (status.ok()) return;
    if (absl::IsCancelled(status)) {
      Forget(id);
      return;
    }
    entries_.Change(id, [&status](Entry& entry) {
      entry.state = EntryState::kBad;
      entry.fault = FaultOf(status, entry.file,
                            entry.in_session ? entry.name : entry.file);
      entry.task.clear();
    });
  };
  std::shared_ptr<Task> task =
      tasks_.Start({TaskKind::kLoad, title, id}, work, ended);
  entries_.Change(id, [&task](Entry& entry) {
    if (entry.state == EntryState::kPending) entry.task = task->id();
  });
  return task;
}

absl::Status Session::ReadInto(const std::string& id, Task& task) {
  std::string file;
  entries_.Change(id, [&file](const Entry& entry) { file = entry.file; });
  const FileStamp stamp = FileStamp::Of(file);
  task.Enter(TaskPhase::kReading, stamp.bytes);
  absl::StatusOr<Snapshot> read = ReadSnapshot(file);
  if (!read.ok()) return read.status();
  const bool named = read->names.present();
  if (!named) {
    if (absl::Status status = AddNamesTo(*read, task); !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = task.CheckCancelled(); !status.ok()) return status;
  entries_.Change(id, [&read](const Entry& entry) {
    if (entry.in_session) read->path = entry.name;
  });
  const auto snapshot = std::make_shared<const Snapshot>(*std::move(read));
  EntryFacts facts = FactsOf(*snapshot);
  facts.named = named;
  entries_.Change(id, [&](Entry& entry) {
    entry.facts = facts;
    entry.stamp = stamp;
    entry.in_file = WordsOf(*snapshot);
    entry.when_kept = entry.in_file;
    entry.note = entry.in_file.note;
    entry.name_given = !entry.in_file.label.empty();
    if (entry.name_given) entry.name = entry.in_file.label;
    entry.state = EntryState::kReady;
    entry.task.clear();
  });
  cache_.PutSnapshot(id, snapshot);
  OpenUnlessBusy(id);
  return absl::OkStatus();
}

}  // namespace heaptally::view
