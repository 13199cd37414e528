// What is kept in memory of the snapshots: themselves, their analyses and the
// tables made of those. Bounded: what was used longest ago goes first, and is
// made again when asked for. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_ANALYSIS_CACHE_H_
#define HEAPTALLY_INTEGRATION_VIEW_ANALYSIS_CACHE_H_

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "snapshot/analysis.h"
#include "snapshot/query.h"
#include "snapshot/row_table.h"
#include "snapshot/snapshot.h"

namespace heaptally::view {

class AnalysisCache {
 public:
  explicit AnalysisCache(uint64_t most_bytes) : most_bytes_(most_bytes) {}
  // A quarter of this machine's memory, within limits.
  static uint64_t UsualBytes();

  // `id` of an entry; null if it is not here.
  std::shared_ptr<const Snapshot> FindSnapshot(const std::string& id);
  void PutSnapshot(const std::string& id,
                   std::shared_ptr<const Snapshot> snapshot);
  // `of` as in the page's address: "3" or "3..5".
  std::shared_ptr<const Analysis> FindAnalysis(const std::string& of);
  void PutAnalysis(const std::string& of,
                   std::shared_ptr<const Analysis> analysis);
  // Made if it is not here. Two that ask for the same wait for one making.
  absl::StatusOr<std::shared_ptr<RowTable>> Table(
      const std::string& of, std::shared_ptr<const Analysis> analysis,
      const Query& query);

  // Lets go of all that involves the entry.
  void Forget(const std::string& id);

 private:
  struct Held {
    std::string of;
    std::shared_ptr<const Snapshot> snapshot;  // One of these two.
    std::shared_ptr<const Analysis> analysis;
    uint64_t bytes = 0;
  };
  struct Made {
    std::mutex making;
    std::shared_ptr<RowTable> table;
  };
  struct Kept {
    std::string of;
    Query query;
    uint64_t bytes = 0;
    std::shared_ptr<Made> made;
  };

  Held* Touch(const std::string& of, bool analysis);
  void Put(Held held);
  void Shrink();
  std::shared_ptr<Made> Slot(const std::string& of, const Analysis& analysis,
                             const Query& query);

  const uint64_t most_bytes_;
  std::mutex mutex_;
  std::list<Held> held_;    // Used last first.
  std::list<Kept> tables_;  // Likewise.
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_ANALYSIS_CACHE_H_
