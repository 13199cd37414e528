// Numbers and names as people read them in a terminal. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_TEXT_FORMAT_H_
#define HEAPTALLY_SNAPSHOT_TEXT_FORMAT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "snapshot/names.h"

namespace heaptally {

// The columns that text is made for: 100, unless a terminal is known to have
// others. Set once, before anything is written; kept between 60 and 240; 0: no
// terminal.
size_t TextColumns();
// Whether they are a terminal's; names are not cut for anything else.
bool TextColumnsKnown();
void SetTextColumns(size_t columns);

std::string ThousandsText(uint64_t number);  // "1,468,006".
// Three significant digits: "12 B", "1.40 MiB", "860 KiB".
std::string BytesText(uint64_t bytes);
std::string SignedBytesText(int64_t bytes);   // "+1.40 MiB", "-12 B", "0 B".
std::string SignedCountText(int64_t number);  // "+1,200", "-3", "0".
std::string PercentText(uint64_t part, uint64_t whole);  // "29.8 %"; "-" of 0.
std::string DurationText(uint64_t ns);  // "1.25 ms", "12.5 s", "3 h 20 min".
std::string UtcText(uint64_t unix_ns);  // "2026-11-30 20:19:01 UTC".
std::string IsoTime(uint64_t unix_ns);  // "2026-11-30T20:19:01.123456789Z".
// "1 block", "1,200 blocks".
std::string CountOf(uint64_t number, absl::string_view singular,
                    absl::string_view plural);

// Without control characters and invalid bytes, which could steer a terminal.
std::string SafeText(absl::string_view text);
// The columns that safe text takes; every character counts one.
size_t TextWidth(absl::string_view text);
// Shortened to `width` columns, an ellipsis at the cut.
std::string FitText(absl::string_view text, size_t width);
// The same for a function, which loses the inside of its template arguments
// first, and for a path, which loses its beginning.
std::string FitFunction(absl::string_view function, size_t width);
std::string FitPath(absl::string_view path, size_t width);
// "std::vector<…>::push_back(int)": the outermost template arguments as "…".
std::string FoldTemplates(absl::string_view function);
// The text with spaces before (or behind) it up to `width` columns.
std::string PadLeft(absl::string_view text, size_t width);
std::string PadRight(absl::string_view text, size_t width);

// "function(int)  source.cc:42" within `width` columns: a long path loses its
// folders, a long function the inside of its template arguments, then its end.
std::string FrameText(const Frame& frame, size_t width);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_TEXT_FORMAT_H_
