// Turns the text of an argument into a value; the error names the text and
// says what is taken instead. Pure functions.
#ifndef HEAPTALLY_INTEGRATION_CLI_VALUES_H_
#define HEAPTALLY_INTEGRATION_CLI_VALUES_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace heaptally::cli {

// "4096", "64K", "1.5MiB", "2GB"; K, M and G count in powers of 1024, as the
// runtime does.
absl::StatusOr<uint64_t> ParseByteSize(absl::string_view option,
                                       absl::string_view text);

// A whole number from `least` to `most`.
absl::StatusOr<uint64_t> ParseCount(absl::string_view option,
                                    absl::string_view text, uint64_t least,
                                    uint64_t most);

// A process id: digits, greater than 0.
absl::StatusOr<pid_t> ParsePid(absl::string_view text);

// Seconds with a fraction: "2", "0.5"; from 0.05 to a day.
absl::StatusOr<double> ParseSeconds(absl::string_view option,
                                    absl::string_view text);

// "counters", "sampled=N" or "all"; a size N comes back in bytes.
absl::StatusOr<std::string> ParseMode(absl::string_view text);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_VALUES_H_
