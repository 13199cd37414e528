// One process under heaptally as the page shows it: its last facts, what they
// changed in the last second, and a short history. Plain values; not
// thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_LIVE_PROCESS_H_
#define HEAPTALLY_INTEGRATION_VIEW_LIVE_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "integration/control/client.h"
#include "snapshot/json_writer.h"
#include "snapshot/measure.h"

namespace heaptally::view {

class LiveProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // The tallies `name`.blocks, .requested and .usable.
  Measure Tally(const std::string& name) const;
  std::string Text(const std::string& key) const;
  uint64_t Number(const std::string& key) const {
    return control::FactAsNumber(facts_, key);
  }
  const control::Facts& facts() const { return facts_; }
  bool gone() const { return gone_; }

  // What it has answered, and when.
  void Heard(control::Facts facts, Clock::time_point now);
  void Failed(std::string sentence) { error_ = std::move(sentence); }
  void MarkGone();

  // Whether `facts` are those of the same process, and not of another one
  // that got its pid.
  bool IsSame(const control::Facts& facts) const;

  void WriteJson(pid_t pid, Clock::time_point now, JsonWriter& json) const;

 private:
  struct Sample {
    Clock::time_point at;
    uint64_t current = 0;
    uint64_t peak = 0;
  };

  // What changes between two answers.
  struct Reading {
    Clock::time_point at;
    uint64_t allocations = 0;
    uint64_t stacks = 0;
  };

  Reading Read(Clock::time_point now) const;
  std::optional<double> StackNs() const;

  control::Facts facts_;
  std::deque<Sample> history_;
  std::optional<Reading> last_;
  std::optional<double> allocations_per_s_;
  std::optional<double> stacks_per_s_;
  bool gone_ = false;
  std::string error_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_LIVE_PROCESS_H_
