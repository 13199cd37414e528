// What went wrong while the page is served, one line each on standard error; a
// flood is cut and counted. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_EVENT_LOG_H_
#define HEAPTALLY_INTEGRATION_VIEW_EVENT_LOG_H_

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"

namespace heaptally::view {

class EventLog {
 public:
  // "heaptally view: SENTENCE".
  void Say(absl::string_view sentence);

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point minute_;
  unsigned lines_ = 0;
  uint64_t dropped_ = 0;
};

// `text` of a stranger's, fit for a line of a terminal: cut, and no control
// characters.
std::string Harmless(absl::string_view text);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_EVENT_LOG_H_
