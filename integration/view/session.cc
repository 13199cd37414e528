#include "integration/view/session.h"

#include <malloc.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace heaptally::view {
namespace {

// What the runtime keeps of a label, too.
constexpr size_t kLongestText = 4096;

absl::Status NoEntry(const std::string& id) {
  return absl::NotFoundError(
      absl::StrCat("there is no snapshot ", id.substr(0, 20),
                   " in the list; it may have been cleared"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Create(
    SessionOptions options) {
  absl::StatusOr<std::unique_ptr<SessionFolder>> folder =
      SessionFolder::Create();
  if (!folder.ok()) return folder.status();
  return std::unique_ptr<Session>(
      new Session(std::move(options), *std::move(folder)));
}

Session::Session(SessionOptions options, std::unique_ptr<SessionFolder> folder)
    : version_(std::move(options.version)),
      sources_(std::move(options.sources)),
      folder_(std::move(folder)),
      cache_(AnalysisCache::UsualBytes()),
      processes_(std::move(options.socket_directory),
                 std::move(options.first_processes)) {}

absl::StatusOr<Entry> Session::Ready(const std::string& id) const {
  std::optional<Entry> entry = entries_.Find(id);
  if (!entry.has_value()) return NoEntry(id);
  if (entry->state == EntryState::kBad) {
    return absl::FailedPreconditionError(
        absl::StrCat(entry->name, " cannot be read; clear it from the list"));
  }
  if (entry->state == EntryState::kPending) {
    return absl::FailedPreconditionError(absl::StrCat(
        entry->name, " is not ready yet; wait until its task has ended"));
  }
  return *std::move(entry);
}

absl::Status Session::Edit(const std::string& id, const std::string* name,
                           const std::string* note) {
  for (const std::string* text : {name, note}) {
    if (text != nullptr && text->size() > kLongestText) {
      return absl::InvalidArgumentError(
          absl::StrCat("the text has ", text->size(), " bytes, and at most ",
                       kLongestText, " are kept; shorten it"));
    }
  }
  if (name != nullptr && name->empty()) {
    return absl::InvalidArgumentError("the name is empty; give one");
  }
  if (!entries_.Find(id).has_value()) return NoEntry(id);
  entries_.Change(id, [&](Entry& entry) {
    if (name != nullptr && *name != entry.name) {
      entry.name = *name;
      entry.name_given = true;
    }
    if (note != nullptr) entry.note = *note;
  });
  return absl::OkStatus();
}

absl::Status Session::Clear(const std::string& id) {
  const std::optional<Entry> entry = entries_.Find(id);
  if (!entry.has_value()) return NoEntry(id);
  const std::shared_ptr<Task> task = tasks_.Find(entry->task);
  if (task != nullptr && task->state() == TaskState::kRunning) task->Cancel();
  entries_.Clear(id);
  return absl::OkStatus();
}

absl::Status Session::Restore(const std::string& id) {
  Tidy();
  if (entries_.Restore(id)) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("snapshot ", id.substr(0, 20),
                   " cannot be brought back; that is possible for ",
                   EntryList::kRestorable.count(), " seconds"));
}

void Session::Forget(const std::string& id) {
  if (const std::optional<Entry> gone = entries_.Remove(id)) Drop(*gone);
}

void Session::Tidy() {
  const std::vector<Entry> gone = entries_.Expire();
  for (const Entry& entry : gone) Drop(entry);
  if (!gone.empty()) malloc_trim(0);
}

void Session::Drop(const Entry& entry) {
  cache_.Forget(entry.id);
  if (entry.in_session && !entry.file.empty()) unlink(entry.file.c_str());
}

}  // namespace heaptally::view
