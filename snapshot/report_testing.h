// What the tests of reports share: a report as text, and as JSON that another
// parser has read. Not thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_REPORT_TESTING_H_
#define HEAPTALLY_SNAPSHOT_REPORT_TESTING_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "snapshot/report.h"

namespace heaptally {

inline nlohmann::json Json(const Snapshot& s,
                           const ReportOptions& options = {}) {
  std::ostringstream out;
  EXPECT_TRUE(ReportJson(s, options, out).ok());
  return nlohmann::json::parse(out.str());
}

inline std::string Text(const Snapshot& s, const ReportOptions& options = {}) {
  std::ostringstream out;
  EXPECT_TRUE(RenderReport(s, options, out).ok());
  return out.str();
}

inline nlohmann::json MeasureJson(uint64_t blocks, uint64_t requested,
                                  uint64_t usable) {
  return {{"blocks", blocks}, {"requested", requested}, {"usable", usable}};
}

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_REPORT_TESTING_H_
