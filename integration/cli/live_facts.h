// The facts that a running process answers to `stat`, for people and for
// programs. Pure functions.
#ifndef HEAPTALLY_INTEGRATION_CLI_LIVE_FACTS_H_
#define HEAPTALLY_INTEGRATION_CLI_LIVE_FACTS_H_

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/types/span.h"
#include "integration/control/client.h"

namespace heaptally::cli {

// "all", "counters", "sampled 512 KiB"; and as part of a sentence.
std::string ModeForPeople(const control::Facts& facts);
std::string ModeInWords(const control::Facts& facts);

// What `stat` prints: a headline and a small table.
std::string StatForPeople(const control::Facts& facts);
void StatJson(const control::Facts& facts, std::ostream& out);

// What `stat --watch` prints: one headline, then a line each time.
std::string WatchHeadline(const control::Facts& facts);
std::string WatchLine(const control::Facts& facts);

// What `ps` prints: a table, cut to `width` columns unless that is 0.
std::string ProcessTable(absl::Span<const control::Facts> processes,
                         size_t width);
void ProcessesJson(absl::Span<const control::Facts> processes,
                   std::ostream& out);

// What `record` and `reset-peak` print.
void RecordJson(uint64_t pid, const control::Facts& reply, std::ostream& out);
std::string ResetPeakForPeople(const control::Facts& facts);
void ResetPeakJson(const control::Facts& facts, std::ostream& out);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_LIVE_FACTS_H_
