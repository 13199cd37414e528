// The list of snapshots. Entries are changed under its lock and handed out as
// copies. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_ENTRY_LIST_H_
#define HEAPTALLY_INTEGRATION_VIEW_ENTRY_LIST_H_

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "integration/view/entry.h"

namespace heaptally::view {

class EntryList {
 public:
  // How long a cleared entry can be restored.
  static constexpr std::chrono::seconds kRestorable{15};

  // At the end, with the next id, which is returned.
  std::string Add(Entry entry);
  // Nothing if there is none or it has been cleared.
  std::optional<Entry> Find(const std::string& id) const;
  // Calls `change` with the entry, cleared or not; false if there is none.
  bool Change(const std::string& id, const std::function<void(Entry&)>& change);
  // Calls `change` with every entry, cleared or not.
  void ChangeEach(const std::function<void(Entry&)>& change);
  // Without those that have been cleared.
  std::vector<Entry> All() const;
  std::vector<Entry> Unsaved() const;

  bool Clear(const std::string& id);
  bool Restore(const std::string& id);
  void ClearAll();
  // Those that the last ClearAll has cleared.
  void RestoreAll();
  // Takes out those that can be restored no more, or this one at once.
  std::vector<Entry> Expire();
  std::optional<Entry> Remove(const std::string& id);

 private:
  Entry* FindLocked(const std::string& id);

  mutable std::mutex mutex_;
  uint64_t next_ = 1;
  std::vector<Entry> entries_;
  std::optional<std::chrono::steady_clock::time_point> all_cleared_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_ENTRY_LIST_H_
