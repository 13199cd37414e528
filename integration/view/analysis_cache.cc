#include "integration/view/analysis_cache.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"

namespace heaptally::view {
namespace {

constexpr uint64_t kLeastBytes = uint64_t{512} << 20;
constexpr uint64_t kMostBytes = uint64_t{8} << 30;
// Tables are made again in the blink of an eye, so that few are worth keeping.
constexpr size_t kMostTables = 24;
constexpr uint64_t kMostTableBytes = uint64_t{192} << 20;
constexpr uint64_t kTableBytesOfUnit = 200;
// An analysis cannot say what it takes; measured on large ones, it is this for
// each unit and its stack.
constexpr uint64_t kBytesOfUnit = 200;
constexpr uint64_t kBytesOfFrame = 8;

template <typename T>
uint64_t BytesOf(const Column<T>& column) {
  return column.size() * sizeof(T);
}

uint64_t BytesOf(const MeasureColumns& columns) {
  return BytesOf(columns.blocks) + BytesOf(columns.requested) +
         BytesOf(columns.usable);
}

uint64_t BytesOf(const Snapshot& s) {
  return BytesOf(s.nodes.parent) + BytesOf(s.nodes.pc) +
         BytesOf(s.tracebacks.node) + BytesOf(s.tracebacks.current) +
         BytesOf(s.tracebacks.ever) + BytesOf(s.tracebacks.own_peak) +
         BytesOf(s.tracebacks.at_peak) + BytesOf(s.blocks.address) +
         BytesOf(s.blocks.traceback) + BytesOf(s.blocks.requested) +
         BytesOf(s.blocks.usable) + BytesOf(s.blocks.epoch) +
         BytesOf(s.names.strings) + BytesOf(s.names.node_location) +
         BytesOf(s.names.location_begin) + 5 * BytesOf(s.names.function);
}

uint64_t BytesOf(const Analysis& analysis) {
  uint64_t frames = 0;
  for (uint32_t i = 0; i < analysis.size(); ++i) {
    frames += analysis.stacks()[i].size();
  }
  return analysis.size() * kBytesOfUnit + frames * kBytesOfFrame;
}

bool Involves(const std::string& of, const std::string& id) {
  const std::vector<std::string> parts = absl::StrSplit(of, "..");
  return std::find(parts.begin(), parts.end(), id) != parts.end();
}

}  // namespace

uint64_t AnalysisCache::UsualBytes() {
  const auto memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::clamp(memory / 4, kLeastBytes, kMostBytes);
}

// Under mutex_.
AnalysisCache::Held* AnalysisCache::Touch(const std::string& of,
                                          bool analysis) {
  for (auto at = held_.begin(); at != held_.end(); ++at) {
    if (at->of != of || (at->analysis != nullptr) != analysis) continue;
    held_.splice(held_.begin(), held_, at);
    return &held_.front();
  }
  return nullptr;
}

std::shared_ptr<const Snapshot> AnalysisCache::FindSnapshot(
    const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Held* held = Touch(id, false);
  return held == nullptr ? nullptr : held->snapshot;
}

std::shared_ptr<const Analysis> AnalysisCache::FindAnalysis(
    const std::string& of) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Held* held = Touch(of, true);
  if (held == nullptr) return nullptr;
  std::shared_ptr<const Analysis> analysis = held->analysis;
  // Its snapshots stay in memory with it, so they are in use as well.
  const std::vector<std::string> parts = absl::StrSplit(of, "..");
  for (const std::string& part : parts) Touch(part, false);
  return analysis;
}

void AnalysisCache::PutSnapshot(const std::string& id,
                                std::shared_ptr<const Snapshot> snapshot) {
  const uint64_t bytes = BytesOf(*snapshot);
  Put({id, std::move(snapshot), nullptr, bytes});
}

void AnalysisCache::PutAnalysis(const std::string& of,
                                std::shared_ptr<const Analysis> analysis) {
  const uint64_t bytes = BytesOf(*analysis);
  Put({of, nullptr, std::move(analysis), bytes});
}

void AnalysisCache::Put(Held held) {
  const std::lock_guard<std::mutex> lock(mutex_);
  held_.remove_if([&held](const Held& other) {
    return other.of == held.of &&
           (other.analysis == nullptr) == (held.analysis == nullptr);
  });
  held_.push_front(std::move(held));
  Shrink();
}

// The last analysis and what it is made of stay, whatever their size.
void AnalysisCache::Shrink() {
  uint64_t bytes = 0;
  for (const Held& held : held_) bytes += held.bytes;
  while (bytes > most_bytes_ && held_.size() > 3) {
    bytes -= held_.back().bytes;
    const Held out = std::move(held_.back());
    held_.pop_back();
    if (out.analysis == nullptr) continue;
    tables_.remove_if([&out](const Kept& kept) { return kept.of == out.of; });
  }
}

std::shared_ptr<AnalysisCache::Made> AnalysisCache::Slot(
    const std::string& of, const Analysis& analysis, const Query& query) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto at = tables_.begin(); at != tables_.end(); ++at) {
    if (at->of != of || !(at->query == query)) continue;
    tables_.splice(tables_.begin(), tables_, at);
    return tables_.front().made;
  }
  const uint64_t bytes = analysis.size() * kTableBytesOfUnit;
  tables_.push_front({of, query, bytes, std::make_shared<Made>()});
  uint64_t all = 0;
  for (const Kept& kept : tables_) all += kept.bytes;
  while (tables_.size() > kMostTables ||
         (all > kMostTableBytes && tables_.size() > 2)) {
    all -= tables_.back().bytes;
    tables_.pop_back();
  }
  return tables_.front().made;
}

absl::StatusOr<std::shared_ptr<RowTable>> AnalysisCache::Table(
    const std::string& of, std::shared_ptr<const Analysis> analysis,
    const Query& query) {
  const std::shared_ptr<Made> made = Slot(of, *analysis, query);
  const std::lock_guard<std::mutex> lock(made->making);
  if (made->table == nullptr || &made->table->analysis() != analysis.get()) {
    absl::StatusOr<std::shared_ptr<RowTable>> table =
        RowTable::Build(std::move(analysis), query);
    if (!table.ok()) return table.status();
    made->table = *std::move(table);
  }
  return made->table;
}

void AnalysisCache::Forget(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  held_.remove_if([&id](const Held& held) { return Involves(held.of, id); });
  tables_.remove_if([&id](const Kept& kept) { return Involves(kept.of, id); });
}

}  // namespace heaptally::view
