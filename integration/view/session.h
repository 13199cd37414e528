// What the page works on: the list of snapshots, the tasks, the processes, and
// the folder in which unsaved snapshots live. The parts are thread-safe, and so
// is this.
#ifndef HEAPTALLY_INTEGRATION_VIEW_SESSION_H_
#define HEAPTALLY_INTEGRATION_VIEW_SESSION_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "integration/view/analysis_cache.h"
#include "integration/view/entry_list.h"
#include "integration/view/file_handle.h"
#include "integration/view/live_processes.h"
#include "integration/view/session_folder.h"
#include "integration/view/source_folders.h"
#include "integration/view/task_list.h"

namespace heaptally::view {

struct SessionOptions {
  std::string version;
  std::string socket_directory;
  std::vector<pid_t> first_processes;
  SourceFolders sources;
};

class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Create(
      SessionOptions options);

  const std::string& version() const { return version_; }
  const SessionFolder& folder() const { return *folder_; }
  const SourceFolders& sources() const { return sources_; }
  EntryList& entries() { return entries_; }
  const EntryList& entries() const { return entries_; }
  TaskList& tasks() { return tasks_; }
  LiveProcesses& processes() { return processes_; }
  AnalysisCache& cache() { return cache_; }

  // These begin a task and return its id (take.cc, load.cc).
  absl::StatusOr<std::string> Take(pid_t pid, const std::string& name);
  absl::StatusOr<std::string> Load(const std::string& path);
  // `file` is in the session folder already; `name` is what it was called.
  std::string Adopt(const std::string& entry, const std::string& name);
  // An entry for a file that is about to arrive, and where to put it.
  std::string Expect(const std::string& name, std::string* file);

  // The analysis of "3" or "3..5", or the task that prepares it (open.cc).
  struct Opened {
    std::shared_ptr<const Analysis> analysis;
    std::string task;
  };
  absl::StatusOr<Opened> Open(const std::string& of);

  // Writes the snapshot with its name and note to `path`; returns the path that
  // was written. AlreadyExists unless `overwrite` (save.cc).
  absl::StatusOr<std::string> Save(const std::string& id,
                                   const std::string& path, bool overwrite);
  // The same bytes for the browser to save.
  struct Download {
    FileHandle file;
    uint64_t bytes = 0;
    std::string name;
    Entry::Words words;
  };
  absl::StatusOr<Download> Offer(const std::string& id);

  absl::Status Edit(const std::string& id, const std::string* name,
                    const std::string* note);
  absl::Status Clear(const std::string& id);
  absl::Status Restore(const std::string& id);
  // Takes the entry out for good.
  void Forget(const std::string& id);
  // Lets go of what can be restored no more.
  void Tidy();

 private:
  Session(SessionOptions options, std::unique_ptr<SessionFolder> folder);

  absl::Status TakeInto(const std::string& id, control::Client& client,
                        const std::string& label, Task& task);
  absl::Status WithWayOut(const absl::Status& status) const;
  // Reads the entry's file, gives it names, fills in what the list shows.
  absl::Status ReadInto(const std::string& id, Task& task);
  std::shared_ptr<Task> StartReading(const std::string& id,
                                     const std::string& title);
  void OpenUnlessBusy(const std::string& id);
  absl::StatusOr<std::shared_ptr<const Snapshot>> SnapshotOf(
      const std::string& id, Task& task);
  absl::Status AddNamesTo(Snapshot& snapshot, Task& task);
  absl::Status Prepare(const std::string& of, Task& task);
  absl::StatusOr<Entry> Ready(const std::string& id) const;
  // The entry's snapshot with what was edited, into the file `path`.
  absl::Status WriteTo(const Entry& entry, const std::string& path);
  void Drop(const Entry& entry);

  const std::string version_;
  const SourceFolders sources_;
  const std::unique_ptr<SessionFolder> folder_;
  AnalysisCache cache_;
  EntryList entries_;
  std::mutex opening_;       // So that one analysis has one task.
  std::timed_mutex naming_;  // One at a time reads debug information.
  LiveProcesses processes_;
  TaskList tasks_;  // Ends first: its work uses all the others.
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_SESSION_H_
