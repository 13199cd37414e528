#include "integration/view/entry_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace heaptally::view {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

std::string EntryList::Add(Entry entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  entry.id = absl::StrCat(next_++);
  if (entry.name.empty()) entry.name = absl::StrCat("Snapshot ", entry.id);
  entries_.push_back(std::move(entry));
  return entries_.back().id;
}

Entry* EntryList::FindLocked(const std::string& id) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(),
                   [&id](const Entry& entry) { return entry.id == id; });
  return found == entries_.end() ? nullptr : &*found;
}

std::optional<Entry> EntryList::Find(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry* entry = const_cast<EntryList*>(this)->FindLocked(id);
  if (entry == nullptr || entry->cleared.has_value()) return std::nullopt;
  return *entry;
}

void EntryList::ChangeEach(const std::function<void(Entry&)>& change) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) change(entry);
}

bool EntryList::Change(const std::string& id,
                       const std::function<void(Entry&)>& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry* entry = FindLocked(id);
  if (entry != nullptr) change(*entry);
  return entry != nullptr;
}

std::vector<Entry> EntryList::All() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Entry> all;
  for (const Entry& entry : entries_) {
    if (!entry.cleared.has_value()) all.push_back(entry);
  }
  return all;
}

std::vector<Entry> EntryList::Unsaved() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Entry> unsaved;
  for (const Entry& entry : entries_) {
    if (entry.unsaved()) unsaved.push_back(entry);
  }
  return unsaved;
}

bool EntryList::Clear(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry* entry = FindLocked(id);
  if (entry == nullptr || entry->cleared.has_value()) return false;
  entry->cleared = Clock::now();
  return true;
}

bool EntryList::Restore(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry* entry = FindLocked(id);
  if (entry == nullptr || !entry->cleared.has_value()) return false;
  entry->cleared.reset();
  return true;
}

void EntryList::ClearAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  all_cleared_ = Clock::now();
  for (Entry& entry : entries_) {
    if (!entry.cleared.has_value()) entry.cleared = all_cleared_;
  }
}

void EntryList::RestoreAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.cleared == all_cleared_) entry.cleared.reset();
  }
}

std::vector<Entry> EntryList::Expire() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto end = Clock::now() - kRestorable;
  const auto first = std::stable_partition(
      entries_.begin(), entries_.end(), [end](const Entry& entry) {
        return !entry.cleared.has_value() || *entry.cleared > end;
      });
  std::vector<Entry> expired(std::make_move_iterator(first),
                             std::make_move_iterator(entries_.end()));
  entries_.erase(first, entries_.end());
  return expired;
}

std::optional<Entry> EntryList::Remove(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(),
                   [&id](const Entry& entry) { return entry.id == id; });
  if (found == entries_.end()) return std::nullopt;
  Entry entry = std::move(*found);
  entries_.erase(found);
  return entry;
}

}  // namespace heaptally::view
