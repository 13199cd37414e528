#include "integration/view/event_log.h"

#include <cstdio>

#include "absl/strings/str_cat.h"

namespace heaptally::view {
namespace {

constexpr unsigned kLinesAMinute = 20;
constexpr size_t kLongest = 80;

void WriteLine(absl::string_view sentence) {
  const std::string line = absl::StrCat("heaptally view: ", sentence, "\n");
  fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void EventLog::Say(absl::string_view sentence) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - minute_ > std::chrono::minutes(1)) {
    if (dropped_ > 0) {
      WriteLine(absl::StrCat(dropped_, " further lines were left out"));
    }
    minute_ = now;
    lines_ = 0;
    dropped_ = 0;
  }
  if (++lines_ > kLinesAMinute) {
    ++dropped_;
    return;
  }
  WriteLine(sentence);
}

std::string Harmless(absl::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    out += c >= 0x20 && c < 0x7f ? c : '?';
  }
  if (text.size() > kLongest) out += "...";
  return out;
}

}  // namespace heaptally::view
