// Numbers as people read them. Pure functions.
#ifndef HEAPTALLY_INTEGRATION_CLI_UNITS_H_
#define HEAPTALLY_INTEGRATION_CLI_UNITS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace heaptally::cli {

// "512 B", "1.5 KiB", "12.0 MiB".
std::string Bytes(uint64_t bytes);

// The same without a space or a needless fraction: "512K", "1.5M".
std::string ShortBytes(uint64_t bytes);

// "1,234,567".
std::string WithSeparators(uint64_t number);

// One line of at most `width` bytes; what is left out shows as "...". Control
// characters become "?".
std::string Shortened(absl::string_view text, size_t width);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_UNITS_H_
