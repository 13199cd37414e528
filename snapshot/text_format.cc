#include "snapshot/text_format.h"

#include <algorithm>
#include <atomic>
#include <ctime>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "snapshot/utf8.h"

namespace heaptally {
namespace {

constexpr size_t kColumns = 100;
std::atomic<size_t> columns = kColumns;
std::atomic<bool> columns_known = false;

constexpr absl::string_view kEllipsis = "\u2026";

// Three significant digits without rounding up to 1000 or 1024.
std::string ThreeDigits(double value) {
  if (value < 9.995) return absl::StrFormat("%.2f", value);
  if (value < 99.95) return absl::StrFormat("%.1f", value);
  return absl::StrFormat("%.0f", value);
}

tm UtcOf(uint64_t unix_ns) {
  const auto seconds = static_cast<time_t>(unix_ns / 1000000000);
  tm result = {};
  gmtime_r(&seconds, &result);
  return result;
}

// "foo<...>::bar(...)" with the inside of outermost brackets left out.
std::string WithoutInsides(absl::string_view function, char open, char close) {
  std::string text;
  int depth = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (depth == 0 && absl::EndsWith(text, "operator") &&
        (c == '<' || c == '>')) {
      // The name of an operator: no brackets.
      while (i < function.size() && absl::StrContains("<>=", function[i])) {
        text.push_back(function[i++]);
      }
      --i;
      continue;
    }
    const bool arrow = c == '>' && i > 0 && function[i - 1] == '-';
    if (c == close && !arrow && depth > 0) --depth;
    if (depth == 0) text.push_back(c);
    if (c == open && depth++ == 0) {
      const bool empty = i + 1 < function.size() && function[i + 1] == close;
      if (!empty) absl::StrAppend(&text, kEllipsis);
    }
  }
  return text;
}

}  // namespace

size_t TextColumns() { return columns.load(std::memory_order_relaxed); }

bool TextColumnsKnown() {
  return columns_known.load(std::memory_order_relaxed);
}

void SetTextColumns(size_t wanted) {
  columns_known.store(wanted != 0, std::memory_order_relaxed);
  if (wanted == 0) wanted = kColumns;
  columns.store(std::clamp<size_t>(wanted, 60, 240), std::memory_order_relaxed);
}

std::string ThousandsText(uint64_t number) {
  const std::string digits = absl::StrCat(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string BytesText(uint64_t bytes) {
  static constexpr absl::string_view kUnits[] = {"KiB", "MiB", "GiB",
                                                 "TiB", "PiB", "EiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return absl::StrCat(ThreeDigits(value), " ", kUnits[unit]);
}

std::string SignedBytesText(int64_t bytes) {
  const auto magnitude = static_cast<uint64_t>(bytes);
  if (bytes > 0) return absl::StrCat("+", BytesText(magnitude));
  if (bytes < 0) return absl::StrCat("-", BytesText(-magnitude));
  return "0 B";
}

std::string SignedCountText(int64_t number) {
  const auto magnitude = static_cast<uint64_t>(number);
  if (number > 0) return absl::StrCat("+", ThousandsText(magnitude));
  if (number < 0) return absl::StrCat("-", ThousandsText(-magnitude));
  return "0";
}

std::string PercentText(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return absl::StrFormat(
      "%.1f %%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string DurationText(uint64_t ns) {
  const double value = static_cast<double>(ns);
  if (ns < 1000) return absl::StrCat(ns, " ns");
  if (value < 999.5e3) return absl::StrCat(ThreeDigits(value / 1e3), " us");
  if (value < 999.5e6) return absl::StrCat(ThreeDigits(value / 1e6), " ms");
  const uint64_t seconds = ns / 1000000000;
  if (seconds < 120) return absl::StrCat(ThreeDigits(value / 1e9), " s");
  const uint64_t minutes = seconds / 60;
  if (minutes < 120) return absl::StrCat(minutes, " min ", seconds % 60, " s");
  const uint64_t hours = minutes / 60;
  if (hours < 48) return absl::StrCat(hours, " h ", minutes % 60, " min");
  return absl::StrCat(hours / 24, " days ", hours % 24, " h");
}

std::string UtcText(uint64_t unix_ns) {
  const tm t = UtcOf(unix_ns);
  return absl::StrFormat("%04d-%02d-%02d %02d:%02d:%02d UTC", t.tm_year + 1900,
                         t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
                         t.tm_sec);
}

std::string IsoTime(uint64_t unix_ns) {
  const tm t = UtcOf(unix_ns);
  return absl::StrFormat("%04d-%02d-%02dT%02d:%02d:%02d.%09dZ",
                         t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
                         t.tm_min, t.tm_sec, unix_ns % 1000000000);
}

std::string CountOf(uint64_t number, absl::string_view singular,
                    absl::string_view plural) {
  return absl::StrCat(ThousandsText(number), " ",
                      number == 1 ? singular : plural);
}

std::string SafeText(absl::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const Utf8Character c = NextCharacter(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // U+0080 to U+009f steer terminals too.
    const bool control = first < 0x20 || first == 0x7f ||
                         (first == 0xc2 && c.size == 2 &&
                          static_cast<unsigned char>(text[1]) < 0xa0);
    if (c.valid && !control) {
      safe.append(text.data(), c.size);
    } else {
      for (size_t i = 0; i < c.size; ++i) {
        absl::StrAppendFormat(&safe, "\\x%02x",
                              static_cast<unsigned char>(text[i]));
      }
    }
    text.remove_prefix(c.size);
  }
  return safe;
}

size_t TextWidth(absl::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    text.remove_prefix(NextCharacter(text).size);
    ++width;
  }
  return width;
}

std::string FitText(absl::string_view text, size_t width) {
  if (TextWidth(text) <= width) return std::string(text);
  if (width == 0) return "";
  absl::string_view rest = text;
  for (size_t i = 0; i + 1 < width; ++i) {
    rest.remove_prefix(NextCharacter(rest).size);
  }
  return absl::StrCat(text.substr(0, text.size() - rest.size()), kEllipsis);
}

std::string FoldTemplates(absl::string_view function) {
  return WithoutInsides(function, '<', '>');
}

std::string FitFunction(absl::string_view function, size_t width) {
  std::string text = SafeText(function);
  if (TextWidth(text) <= width) return text;
  text = WithoutInsides(text, '<', '>');
  if (TextWidth(text) <= width) return text;
  text = WithoutInsides(text, '(', ')');
  return FitText(text, width);
}

std::string FitPath(absl::string_view path, size_t width) {
  const std::string safe = SafeText(path);
  const size_t whole = TextWidth(safe);
  if (whole <= width || width == 0) return FitText(safe, width);
  absl::string_view rest = safe;
  for (size_t i = whole - width + 1; i > 0; --i) {
    rest.remove_prefix(NextCharacter(rest).size);
  }
  return absl::StrCat(kEllipsis, rest);
}

std::string PadLeft(absl::string_view text, size_t width) {
  const size_t used = TextWidth(text);
  return absl::StrCat(std::string(used < width ? width - used : 0, ' '), text);
}

std::string PadRight(absl::string_view text, size_t width) {
  const size_t used = TextWidth(text);
  return absl::StrCat(text, std::string(used < width ? width - used : 0, ' '));
}

std::string FrameText(const Frame& frame, size_t width) {
  if (frame.file.empty()) return FitFunction(frame.function, width);
  const std::string line =
      frame.line == 0 ? std::string() : absl::StrCat(":", frame.line);
  const std::string path = absl::StrCat(SafeText(frame.file), line);
  std::string function = SafeText(frame.function);
  if (TextWidth(function) + 2 + TextWidth(path) <= width) {
    return absl::StrCat(function, "  ", path);
  }
  const std::string base =
      FitText(absl::StrCat(SafeText(Basename(frame.file)), line), width / 2);
  function = FitFunction(frame.function, width - 2 - TextWidth(base));
  return absl::StrCat(function, "  ", base);
}

}  // namespace heaptally
