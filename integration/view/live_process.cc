#include "integration/view/live_process.h"

#include <utility>

#include "absl/strings/match.h"
#include "integration/view/json_parts.h"

namespace heaptally::view {
namespace {

constexpr size_t kSamples = 120;
// Shorter than that, a difference says little about a second.
constexpr std::chrono::milliseconds kShortest{200};

void OptionalReal(JsonWriter& json, const std::optional<double>& value) {
  if (value.has_value()) {
    json.Real(*value);
  } else {
    json.Null();
  }
}

}  // namespace

Measure LiveProcess::Tally(const std::string& name) const {
  return {Number(name + ".blocks"), Number(name + ".requested"),
          Number(name + ".usable")};
}

std::string LiveProcess::Text(const std::string& key) const {
  const auto found = facts_.find(key);
  return found == facts_.end() ? "" : found->second;
}

bool LiveProcess::IsSame(const control::Facts& facts) const {
  const auto id = facts.find("process_id");
  return id != facts.end() && id->second == Text("process_id");
}

LiveProcess::Reading LiveProcess::Read(Clock::time_point now) const {
  Reading reading;
  reading.at = now;
  reading.allocations = Number("ever.blocks");
  for (const auto& [key, value] : facts_) {
    if (absl::StartsWith(key, "walks.")) reading.stacks += Number(key);
  }
  return reading;
}

void LiveProcess::Heard(control::Facts facts, Clock::time_point now) {
  facts_ = std::move(facts);
  error_.clear();
  history_.push_back({now, Number("current.usable"), Number("peak.usable")});
  if (history_.size() > kSamples) history_.pop_front();
  const Reading reading = Read(now);
  if (!last_.has_value()) {
    last_ = reading;
    return;
  }
  if (now - last_->at < kShortest) return;
  const double seconds = std::chrono::duration<double>(now - last_->at).count();
  const auto rate = [seconds](uint64_t after, uint64_t before) {
    return after < before ? 0.0 : static_cast<double>(after - before) / seconds;
  };
  allocations_per_s_ = rate(reading.allocations, last_->allocations);
  stacks_per_s_ = rate(reading.stacks, last_->stacks);
  last_ = reading;
}

void LiveProcess::MarkGone() {
  gone_ = true;
  allocations_per_s_.reset();
  stacks_per_s_.reset();
  error_.clear();
}

std::optional<double> LiveProcess::StackNs() const {
  const uint64_t stacks = Number("recording.measured_stacks");
  if (stacks == 0) return std::nullopt;
  return static_cast<double>(Number("recording.measured_ns")) /
         static_cast<double>(stacks);
}

void LiveProcess::WriteJson(pid_t pid, Clock::time_point now,
                            JsonWriter& json) const {
  const std::optional<double> stack_ns = StackNs();
  std::optional<double> share;
  if (stacks_per_s_.has_value() && *stacks_per_s_ == 0) share = 0;
  if (stacks_per_s_.has_value() && stack_ns.has_value()) {
    share = *stacks_per_s_ * *stack_ns / 1e9;
  }
  json.BeginObject(true);
  json.Key("pid").Signed(pid);
  json.Key("command").String(Text("command"));
  json.Key("process_id").String(Text("process_id"));
  json.Key("started_ns").Number(Number("started_ns"));
  json.Key("mode").String(Text("mode"));
  json.Key("sample_interval").Number(Number("sample_interval"));
  for (const char* name : {"current", "peak", "ever"}) {
    WriteMeasure(json.Key(name), Tally(name));
  }
  json.Key("peak_bound").Number(Number("peak_bound"));
  json.Key("threads").Number(Number("threads"));
  json.Key("own_bytes").Number(Number("own.total"));
  json.Key("rss_bytes").Number(Number("rss"));
  OptionalReal(json.Key("allocations_per_s"), allocations_per_s_);
  OptionalReal(json.Key("stacks_per_s"), stacks_per_s_);
  OptionalReal(json.Key("stack_ns"), stack_ns);
  OptionalReal(json.Key("cost_share"), share);
  json.Key("history").BeginArray(true);
  for (const Sample& sample : history_) {
    json.BeginArray(true);
    json.Number(static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now - sample.at)
            .count()));
    json.Number(sample.current);
    json.Number(sample.peak);
    json.EndArray();
  }
  json.EndArray();
  json.Key("gone").Bool(gone_);
  WriteTextOrNull(json.Key("error"), error_);
  json.EndObject();
}

}  // namespace heaptally::view
