// One entry of the page's list: a snapshot, one that is being made, or a file
// that turned out bad. Plain values.
#ifndef HEAPTALLY_INTEGRATION_VIEW_ENTRY_H_
#define HEAPTALLY_INTEGRATION_VIEW_ENTRY_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "integration/view/file_stamp.h"
#include "snapshot/measure.h"
#include "snapshot/snapshot.h"

namespace heaptally::view {

enum class EntryState { kPending, kReady, kBad };

// What a file's fault is, in the parts of its sentence.
struct EntryFault {
  std::string sentence;
  std::string section = {};
  std::optional<uint64_t> offset = {};
  std::string advice = {};
};

// Takes the reader's sentence about the file `path` apart, which is to be
// called `name` in it; what it does not find stays empty.
EntryFault FaultOf(const absl::Status& status, const std::string& path,
                   const std::string& name);

// What the list shows of a snapshot without having it in memory.
struct EntryFacts {
  uint64_t pid = 0;
  std::string command;
  std::string process_id;
  uint64_t taken_ns = 0;
  std::string mode = "counters";
  uint64_t epoch = 0;
  Measure total;
  Measure peak;
  bool named = false;  // The file has names.
  bool balanced = false;
};
EntryFacts FactsOf(const Snapshot& snapshot);

struct Entry {
  // What a person has written about it. A name that nobody gave is shown, but
  // not stored.
  struct Words {
    std::string label;
    std::string note;
    friend bool operator==(const Words&, const Words&) = default;
  };

  std::string id;
  std::string name;
  bool name_given = false;
  std::string note;
  Words in_file;    // What `file` says.
  Words when_kept;  // What the file that stays says.
  EntryState state = EntryState::kPending;
  std::optional<EntryFault> fault;
  // There is a file of it that stays when the tool ends.
  bool kept = false;
  std::string path;  // Where that file is, if we know.
  std::string file;  // What is read: `path`, or a file in the session folder.
  bool in_session = false;  // `file` is ours to remove.
  FileStamp stamp;
  EntryFacts facts;
  std::string task;  // That makes it.
  std::optional<std::chrono::steady_clock::time_point> cleared;

  Words words() const { return {name_given ? name : "", note}; }
  bool saved() const { return kept && words() == when_kept; }
  // A snapshot that ends with the tool.
  bool unsaved() const {
    return state == EntryState::kReady && !cleared.has_value() && !saved();
  }
};

// Whether the entry's file is still the one that was read.
absl::Status CheckUnchanged(const Entry& entry);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_ENTRY_H_
