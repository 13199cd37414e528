#include "snapshot/coverage_text.h"

#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "snapshot/books.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"
#include "snapshot/text_table.h"

namespace heaptally {
namespace {

// The live tracebacks whose walk ended early, and why; empty if there are none.
std::string EarlyEndsText(const Snapshot& s, const SnapshotFrames& frames) {
  std::array<uint64_t, format::kFirstId> ends = {};
  uint64_t tracebacks = 0;
  Measure cut;
  for (uint32_t id = format::kFirstId; id < s.tracebacks.size(); ++id) {
    const Measure m = s.tracebacks.current[id];
    const uint32_t root = frames.RootOfTraceback(id);
    if (m == Measure() || !EndedEarly(root)) continue;
    ++ends[root];
    ++tracebacks;
    cut += m;
  }
  if (tracebacks == 0) return "";
  std::string text = absl::StrCat(
      CountOf(tracebacks, "traceback", "tracebacks"), " (",
      CountOf(cut.blocks, "block", "blocks"), ", ", BytesText(cut.usable),
      tracebacks == 1 ? " usable) ends early:" : " usable) end early:");
  absl::string_view separator = " ";
  for (uint32_t root = 0; root < ends.size(); ++root) {
    if (ends[root] == 0) continue;
    absl::StrAppend(&text, separator, WalkEndText(root), " ",
                    ThousandsText(ends[root]));
    separator = ", ";
  }
  return text;
}

}  // namespace

void PrintCoverage(std::ostream& out, const Snapshot& s,
                   const SnapshotFrames& frames) {
  const MeasureColumns& current = s.tracebacks.current;
  const Measure all = SumOf(current);
  Measure without;
  std::vector<std::string> reasons;
  for (uint32_t id = 1; id < format::kFirstId && id < current.size(); ++id) {
    const Measure m = current[id];
    if (m == Measure()) continue;
    without += m;
    reasons.push_back(absl::StrCat(CountOf(m.blocks, "block", "blocks"), " (",
                                   BytesText(m.usable), "): ", ReasonText(id)));
  }
  const Measure with = all - without;
  if (reasons.empty()) {
    Paragraph(out, "  coverage   ", "every block has a stack");
  } else {
    Paragraph(out, "  coverage   ",
              absl::StrCat(ThousandsText(with.blocks), " of ",
                           CountOf(all.blocks, "block", "blocks"), ", ",
                           PercentText(with.usable, all.usable),
                           " of usable, have a stack; without one:"));
  }
  for (const std::string& reason : reasons) {
    Paragraph(out, "             ", reason);
  }
  const std::string early = EarlyEndsText(s, frames);
  if (!early.empty()) Paragraph(out, "             ", early);
  const uint64_t foreign =
      s.facts.Number("foreign_frees") + s.facts.Number("foreign_reallocs");
  if (foreign != 0) {
    Paragraph(out, "             ",
              absl::StrCat(CountOf(foreign, "free or realloc",
                                   "frees and "
                                   "reallocs"),
                           " of blocks that came from another allocator"));
  }
}

}  // namespace heaptally
