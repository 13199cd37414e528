#include "integration/cli/values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "integration/cli/nearest.h"

namespace heaptally::cli {
namespace {

absl::Status Bad(absl::string_view option, absl::string_view text,
                 absl::string_view instead) {
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": ", text.empty() ? "an empty value" : text,
                   " is not ", instead));
}

bool AllDigits(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// The factor of a size's unit; 0 for an unknown one.
uint64_t UnitFactor(absl::string_view unit) {
  const std::string name = absl::AsciiStrToLower(unit);
  if (name.empty() || name == "b") return 1;
  if (name == "k" || name == "kib" || name == "kb") return uint64_t{1} << 10;
  if (name == "m" || name == "mib" || name == "mb") return uint64_t{1} << 20;
  if (name == "g" || name == "gib" || name == "gb") return uint64_t{1} << 30;
  return 0;
}

}  // namespace

absl::StatusOr<uint64_t> ParseByteSize(absl::string_view option,
                                       absl::string_view text) {
  constexpr absl::string_view kInstead =
      "a size; write bytes or use K, M or G: 4096, 64K, 1.5M";
  const size_t end =
      std::min(text.find_first_not_of("0123456789."), text.size());
  const absl::string_view number = text.substr(0, end);
  const uint64_t factor = UnitFactor(text.substr(end));
  uint64_t whole = 0;
  if (factor == 0 || number.empty()) return Bad(option, text, kInstead);
  if (AllDigits(number)) {
    if (!absl::SimpleAtoi(number, &whole) ||
        whole > std::numeric_limits<uint64_t>::max() / factor) {
      return Bad(option, text, "a size below 16 EiB");
    }
    return whole * factor;
  }
  double value = 0;
  if (!absl::SimpleAtod(number, &value)) return Bad(option, text, kInstead);
  value *= static_cast<double>(factor);
  if (!(value < 1e18)) return Bad(option, text, "a size below 16 EiB");
  return static_cast<uint64_t>(std::llround(value));
}

absl::StatusOr<uint64_t> ParseCount(absl::string_view option,
                                    absl::string_view text, uint64_t least,
                                    uint64_t most) {
  uint64_t value = 0;
  if (!AllDigits(text) || !absl::SimpleAtoi(text, &value) || value < least ||
      value > most) {
    return Bad(option, text,
               most == std::numeric_limits<uint64_t>::max()
                   ? absl::StrCat("a whole number from ", least, " on")
                   : absl::StrCat("a whole number from ", least, " to ", most));
  }
  return value;
}

absl::StatusOr<pid_t> ParsePid(absl::string_view text) {
  pid_t pid = 0;
  if (!AllDigits(text) || !absl::SimpleAtoi(text, &pid) || pid <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(text.empty() ? "an empty text" : text,
                     " is not a process id; heaptally ps lists the processes "
                     "under heaptally"));
  }
  return pid;
}

absl::StatusOr<double> ParseSeconds(absl::string_view option,
                                    absl::string_view text) {
  double seconds = 0;
  if (!absl::SimpleAtod(text, &seconds) || !(seconds >= 0.05) ||
      !(seconds <= 86400)) {
    return Bad(option, text, "a number of seconds from 0.05 to 86400");
  }
  return seconds;
}

absl::StatusOr<std::string> ParseMode(absl::string_view text) {
  if (text == "counters" || text == "all") return std::string(text);
  absl::string_view size = text;
  if (absl::ConsumePrefix(&size, "sampled=")) {
    const absl::StatusOr<uint64_t> interval =
        ParseByteSize("mode sampled", size);
    if (!interval.ok()) return interval.status();
    if (*interval == 0) {
      return absl::InvalidArgumentError(
          "mode sampled: the mean distance of samples in bytes is at least 1");
    }
    return absl::StrCat("sampled=", *interval);
  }
  if (text == "sampled") {
    return absl::InvalidArgumentError(
        "mode sampled needs the mean distance of samples in bytes: "
        "sampled=512K");
  }
  const std::string nearest = Nearest(text, {"counters", "all", "sampled"});
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown mode ", text.empty() ? "(empty)" : text, "; ",
      nearest.empty() ? "" : absl::StrCat("did you mean ", nearest, "? "),
      "there are counters, sampled=BYTES and all"));
}

}  // namespace heaptally::cli
