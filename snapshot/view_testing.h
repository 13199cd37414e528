// Analyses of small snapshots, for tests of rows and of their JSON.
#ifndef HEAPTALLY_SNAPSHOT_VIEW_TESTING_H_
#define HEAPTALLY_SNAPSHOT_VIEW_TESTING_H_

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "snapshot/analysis.h"
#include "snapshot/row_table.h"
#include "snapshot/small_snapshot.h"

namespace heaptally {

inline std::shared_ptr<const Analysis> AnalysisOf(const Snapshot& s) {
  const auto analysis =
      Analysis::OfSnapshot(std::make_shared<Snapshot>(s), nullptr);
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return *analysis;
}

inline std::shared_ptr<const Analysis> PairOf(const Snapshot& a,
                                              const Snapshot& b) {
  const auto analysis = Analysis::OfPair(
      std::make_shared<Snapshot>(a), std::make_shared<Snapshot>(b), nullptr);
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return *analysis;
}

inline std::shared_ptr<const Analysis> SmallAnalysis() {
  return AnalysisOf(SmallSnapshot());
}

inline std::shared_ptr<const Analysis> PairAnalysis() {
  return PairOf(SmallSnapshot(), LaterSmallSnapshot());
}

inline std::shared_ptr<RowTable> Rows(std::shared_ptr<const Analysis> analysis,
                                      const Query& query) {
  const auto table = RowTable::Build(std::move(analysis), query);
  EXPECT_TRUE(table.ok()) << table.status();
  return *table;
}

// The path of the row `name` below `path`.
inline std::string KeyOf(RowTable& table, const std::string& path,
                         const std::string& name) {
  const absl::StatusOr<RowPage> page = table.Rows({.path = path});
  EXPECT_TRUE(page.ok()) << page.status();
  for (const Row& row : page->rows) {
    if (row.name == name) {
      return path.empty() ? row.key : absl::StrCat(path, ".", row.key);
    }
  }
  ADD_FAILURE() << "no row " << name << " below '" << path << "'";
  return "";
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_VIEW_TESTING_H_
