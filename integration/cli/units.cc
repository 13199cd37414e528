#include "integration/cli/units.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace heaptally::cli {
namespace {

constexpr uint64_t kKibi = 1024;
constexpr char kUnits[] = "KMGTPE";

// The unit's index in kUnits, and the value in it.
size_t Scale(uint64_t bytes, double* value) {
  size_t unit = 0;
  *value = static_cast<double>(bytes) / kKibi;
  // What would be printed as 1024.0 is 1.0 of the next unit.
  while (*value >= 1023.95 && unit + 1 < sizeof(kUnits) - 1) {
    *value /= kKibi;
    ++unit;
  }
  return unit;
}

}  // namespace

std::string Bytes(uint64_t bytes) {
  if (bytes < kKibi) return absl::StrCat(bytes, " B");
  double value;
  const size_t unit = Scale(bytes, &value);
  return absl::StrFormat("%.1f %ciB", value, kUnits[unit]);
}

std::string ShortBytes(uint64_t bytes) {
  if (bytes < kKibi) return absl::StrCat(bytes);
  double value;
  const size_t unit = Scale(bytes, &value);
  return absl::StrFormat("%.3g%c", value, kUnits[unit]);
}

std::string WithSeparators(uint64_t number) {
  std::string text = absl::StrCat(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string Shortened(absl::string_view text, size_t width) {
  constexpr absl::string_view kLeftOut = "...";
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  if (line.size() <= width || width < kLeftOut.size()) return line;
  line.resize(width - kLeftOut.size());
  // Not in the middle of a character of several bytes.
  while (!line.empty() && (text[line.size()] & 0xc0) == 0x80) line.pop_back();
  return absl::StrCat(line, kLeftOut);
}

}  // namespace heaptally::cli
