#include "integration/cli/live_facts.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "integration/cli/units.h"

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

uint64_t SecondsSinceStart(const Facts& facts) {
  const uint64_t started = FactAsNumber(facts, "started_ns");
  const uint64_t taken = FactAsNumber(facts, "taken_ns");
  return taken > started ? (taken - started) / 1'000'000'000 : 0;
}

std::string TallyRow(const Facts& facts, const std::string& name) {
  return absl::StrFormat("%-12s %15s %12s %12s\n", name,
                         WithSeparators(FactAsNumber(facts, name + ".blocks")),
                         Bytes(FactAsNumber(facts, name + ".requested")),
                         Bytes(FactAsNumber(facts, name + ".usable")));
}

std::string OwnMemoryRow(const Facts& facts) {
  std::string parts;
  for (const auto& [key, name] : kOwnParts) {
    const uint64_t bytes = FactAsNumber(facts, key);
    if (bytes == 0) continue;
    absl::StrAppend(&parts, parts.empty() ? "" : ", ", name, " ", Bytes(bytes));
  }
  return absl::StrFormat("%-12s %41s  (%s)\n", "own memory",
                         Bytes(FactAsNumber(facts, "own.total")), parts);
}

std::string PeakRemark(const Facts& facts) {
  const uint64_t bound = FactAsNumber(facts, "peak_bound");
  if (bound == 0) return "";
  return absl::StrCat("The peak may be up to ", Bytes(bound),
                      " too low: ", FactAsNumber(facts, "threads"),
                      " threads count on their own for a while.\n");
}

}  // namespace

std::string ModeForPeople(const Facts& facts) {
  const std::string mode = TextOf(facts, "mode");
  if (mode != "sampled") return mode;
  return absl::StrCat("sampled=",
                      ShortBytes(FactAsNumber(facts, "sample_interval")));
}

std::string ModeInWords(const Facts& facts) {
  const std::string mode = TextOf(facts, "mode");
  if (mode == "all") return "all stacks";
  if (mode == "counters") return "counters only";
  return absl::StrCat("the stack of one block every ",
                      Bytes(FactAsNumber(facts, "sample_interval")),
                      " on average");
}

std::string DurationForPeople(uint64_t seconds) {
  const uint64_t minutes = seconds / 60;
  const uint64_t hours = minutes / 60;
  if (minutes == 0) return absl::StrCat(seconds, " s");
  if (hours == 0) return absl::StrCat(minutes, " min ", seconds % 60, " s");
  if (hours < 48) return absl::StrCat(hours, " h ", minutes % 60, " min");
  return absl::StrCat(hours / 24, " d ", hours % 24, " h");
}

std::string StatForPeople(const Facts& facts) {
  return absl::StrCat(Shortened(TextOf(facts, "command"), 60), "\nprocess ",
                      TextOf(facts, "pid"), ", running for ",
                      DurationForPeople(SecondsSinceStart(facts)), ", records ",
                      ModeInWords(facts), "\n\n",
                      absl::StrFormat("%-12s %15s %12s %12s\n", "", "blocks",
                                      "requested", "usable"),
                      TallyRow(facts, "current"), TallyRow(facts, "peak"),
                      TallyRow(facts, "ever"), OwnMemoryRow(facts),
                      absl::StrFormat("%-12s %41s\n", "resident",
                                      Bytes(FactAsNumber(facts, "rss"))),
                      PeakRemark(facts));
}

std::string WatchHeadline(const Facts& facts) {
  return absl::StrCat(Shortened(TextOf(facts, "command"), 60), "\nprocess ",
                      TextOf(facts, "pid"), "\n\n",
                      absl::StrFormat("%-14s %13s %11s %11s %11s %11s  %s\n",
                                      "running for", "blocks", "usable", "peak",
                                      "own memory", "resident", "mode"));
}

std::string WatchLine(const Facts& facts) {
  return absl::StrFormat("%-14s %13s %11s %11s %11s %11s  %s\n",
                         DurationForPeople(SecondsSinceStart(facts)),
                         WithSeparators(FactAsNumber(facts, "current.blocks")),
                         Bytes(FactAsNumber(facts, "current.usable")),
                         Bytes(FactAsNumber(facts, "peak.usable")),
                         Bytes(FactAsNumber(facts, "own.total")),
                         Bytes(FactAsNumber(facts, "rss")),
                         ModeForPeople(facts));
}

std::string ProcessTable(absl::Span<const Facts> processes, size_t width) {
  std::string out =
      absl::StrFormat("%7s  %-14s %11s %11s %11s  %-12s  %s\n", "PID", "MODE",
                      "CURRENT", "PEAK", "OWN MEMORY", "RUNNING", "COMMAND");
  for (const Facts& facts : processes) {
    std::string line = absl::StrFormat(
        "%7s  %-14s %11s %11s %11s  %-12s  ", TextOf(facts, "pid"),
        ModeForPeople(facts), Bytes(FactAsNumber(facts, "current.usable")),
        Bytes(FactAsNumber(facts, "peak.usable")),
        Bytes(FactAsNumber(facts, "own.total")),
        DurationForPeople(SecondsSinceStart(facts)));
    const std::string command = TextOf(facts, "command");
    const size_t room = width == 0                 ? command.size()
                        : width > line.size() + 10 ? width - line.size()
                                                   : 10;
    absl::StrAppend(&out, line, Shortened(command, room), "\n");
  }
  return out;
}

std::string ResetPeakForPeople(const Facts& facts) {
  return absl::StrCat(
      "the peak of process ", TextOf(facts, "pid"), " begins anew at ",
      Bytes(FactAsNumber(facts, "peak.usable")), " usable in ",
      WithSeparators(FactAsNumber(facts, "peak.blocks")), " blocks\n");
}

}  // namespace heaptally::cli
