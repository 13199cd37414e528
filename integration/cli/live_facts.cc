#include "integration/cli/live_facts.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "snapshot/text_format.h"

namespace heaptally::cli {
namespace {

using control::FactAsNumber;
using control::Facts;

constexpr const char* kOwnParts[][2] = {
    {"own.side_headers", "side headers"},
    {"own.page_map", "page map"},
    {"own.tracebacks", "tracebacks"},
    {"own.threads", "threads"},
    {"own.other", "other"},
};

std::string TextOf(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

// For how long the process has run: "4 s", "2 min 5 s", "3 h 7 min".
std::string RunningFor(const Facts& facts) {
  const uint64_t started = FactAsNumber(facts, "started_ns");
  const uint64_t taken = FactAsNumber(facts, "taken_ns");
  const uint64_t seconds =
      taken > started ? (taken - started) / 1'000'000'000 : 0;
  const uint64_t minutes = seconds / 60;
  const uint64_t hours = minutes / 60;
  if (minutes == 0) return absl::StrCat(seconds, " s");
  if (hours == 0) return absl::StrCat(minutes, " min ", seconds % 60, " s");
  if (hours < 48) return absl::StrCat(hours, " h ", minutes % 60, " min");
  return absl::StrCat(hours / 24, " d ", hours % 24, " h");
}

std::string TallyRow(const Facts& facts, const std::string& name) {
  return absl::StrFormat("%-12s %12s %12s %12s\n", name,
                         ThousandsText(FactAsNumber(facts, name + ".blocks")),
                         BytesText(FactAsNumber(facts, name + ".requested")),
                         BytesText(FactAsNumber(facts, name + ".usable")));
}

// Its parts stand below, in lines that fit any terminal.
std::string OwnMemoryRows(const Facts& facts) {
  std::string rows =
      absl::StrFormat("%-12s %38s\n", "own memory",
                      BytesText(FactAsNumber(facts, "own.total")));
  for (const auto& [key, name] : kOwnParts) {
    const uint64_t bytes = FactAsNumber(facts, key);
    if (bytes == 0) continue;
    absl::StrAppend(&rows,
                    absl::StrFormat("  %-23s %25s\n", name, BytesText(bytes)));
  }
  return rows;
}

std::string PeakRemark(const Facts& facts) {
  const uint64_t bound = FactAsNumber(facts, "peak_bound");
  if (bound == 0) return "";
  return absl::StrCat("The peak may be up to ", BytesText(bound),
                      " too low: ", FactAsNumber(facts, "threads"),
                      " threads count on their own for a while.\n");
}

}  // namespace

std::string ModeForPeople(const Facts& facts) {
  std::string mode = TextOf(facts, "mode");
  if (mode != "sampled") return mode;
  return absl::StrCat("sampled ",
                      BytesText(FactAsNumber(facts, "sample_interval")));
}

std::string ModeInWords(const Facts& facts) {
  const std::string mode = TextOf(facts, "mode");
  if (mode == "all") return "all stacks";
  if (mode == "counters") return "counters only";
  return absl::StrCat("the stack of one block every ",
                      BytesText(FactAsNumber(facts, "sample_interval")),
                      " on average");
}

std::string StatForPeople(const Facts& facts) {
  return absl::StrCat(FitText(SafeText(TextOf(facts, "command")), 60),
                      "\nprocess ", TextOf(facts, "pid"), ", running for ",
                      RunningFor(facts), ", records ", ModeInWords(facts),
                      "\n\n",
                      absl::StrFormat("%-12s %12s %12s %12s\n", "", "blocks",
                                      "requested", "usable"),
                      TallyRow(facts, "current"), TallyRow(facts, "peak"),
                      TallyRow(facts, "ever"), OwnMemoryRows(facts),
                      absl::StrFormat("%-12s %38s\n", "resident",
                                      BytesText(FactAsNumber(facts, "rss"))),
                      PeakRemark(facts));
}

std::string WatchHeadline(const Facts& facts) {
  return absl::StrCat(FitText(SafeText(TextOf(facts, "command")), 60),
                      "\nprocess ", TextOf(facts, "pid"), "\n\n",
                      absl::StrFormat("%-14s %13s %11s %11s %11s %11s  %s\n",
                                      "running for", "blocks", "usable", "peak",
                                      "own memory", "resident", "mode"));
}

std::string WatchLine(const Facts& facts) {
  return absl::StrFormat(
      "%-14s %13s %11s %11s %11s %11s  %s\n", RunningFor(facts),
      ThousandsText(FactAsNumber(facts, "current.blocks")),
      BytesText(FactAsNumber(facts, "current.usable")),
      BytesText(FactAsNumber(facts, "peak.usable")),
      BytesText(FactAsNumber(facts, "own.total")),
      BytesText(FactAsNumber(facts, "rss")), ModeForPeople(facts));
}

std::string ProcessTable(absl::Span<const Facts> processes, size_t width) {
  std::string out =
      absl::StrFormat("%7s  %-14s %11s %11s %11s  %-12s  %s\n", "PID", "MODE",
                      "CURRENT", "PEAK", "OWN MEMORY", "RUNNING", "COMMAND");
  for (const Facts& facts : processes) {
    std::string line = absl::StrFormat(
        "%7s  %-14s %11s %11s %11s  %-12s  ", TextOf(facts, "pid"),
        ModeForPeople(facts), BytesText(FactAsNumber(facts, "current.usable")),
        BytesText(FactAsNumber(facts, "peak.usable")),
        BytesText(FactAsNumber(facts, "own.total")), RunningFor(facts));
    const std::string command = TextOf(facts, "command");
    const size_t room = width == 0                 ? command.size()
                        : width > line.size() + 10 ? width - line.size()
                                                   : 10;
    absl::StrAppend(&out, line, FitText(SafeText(command), room), "\n");
  }
  return out;
}

std::string ResetPeakForPeople(const Facts& facts) {
  return absl::StrCat(
      "the peak of process ", TextOf(facts, "pid"), " begins anew at ",
      BytesText(FactAsNumber(facts, "peak.usable")), " usable in ",
      ThousandsText(FactAsNumber(facts, "peak.blocks")), " blocks\n");
}

}  // namespace heaptally::cli
