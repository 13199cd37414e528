#include "snapshot/text_parts.h"

#include "absl/strings/str_cat.h"
#include "snapshot/library_frames.h"
#include "snapshot/text_format.h"
#include "snapshot/text_table.h"

namespace heaptally {
namespace {

constexpr absl::string_view kIndent = "      ";

std::vector<std::string> FrameLines(const FrameTable& table,
                                    absl::Span<const FrameRef> frames,
                                    size_t most) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (most != 0 && lines.size() + 1 >= most && frames.size() - i > 1) {
      lines.push_back(absl::StrCat(
          kIndent, "\u2026 ",
          CountOf(frames.size() - i, "outer frame", "outer frames")));
      break;
    }
    size_t run = i;
    while (run < frames.size() && IsLibraryFrame(table[frames[run]])) ++run;
    if (run - i > 1) {
      lines.push_back(
          absl::StrCat(kIndent, "\u2026 ", CountOf(run - i, "frame", "frames"),
                       " of the C++ library, from ",
                       FrameText(table[frames[i]], TextColumns() - 46)));
      i = run - 1;
      continue;
    }
    const absl::string_view mark = frames[i].inlined ? " (inlined)" : "";
    lines.push_back(
        absl::StrCat(kIndent,
                     FrameText(table[frames[i]],
                               TextColumns() - kIndent.size() - mark.size()),
                     mark));
  }
  return lines;
}

}  // namespace

std::string TitleOf(const Snapshot& s) {
  const absl::string_view label = s.notes.Text("label");
  std::string title = SafeText(s.path);
  if (!label.empty()) absl::StrAppend(&title, " \"", SafeText(label), "\"");
  return title;
}

std::string ModeText(const Snapshot& s) {
  if (s.mode() == "counters") return "counters: stacks are not recorded";
  if (s.mode() == "all") return "all: the stack of every block is recorded";
  return absl::StrCat("sampled: one stack every ",
                      BytesText(s.facts.Number("sample_interval")),
                      " of allocations on average");
}

absl::string_view ReasonText(uint32_t reason) {
  static constexpr absl::string_view kTexts[] = {
      "their stack is empty",
      "allocated while stacks were not recorded",
      "sampled out: only some blocks get a stack in mode sampled",
      "smaller than the minimum size for stacks",
      "the walk of the stack failed",
      "the table of tracebacks was full",
      "allocated in a signal handler",
  };
  return reason < std::size(kTexts) ? kTexts[reason]
                                    : "for a reason that is unknown here";
}

absl::string_view WalkEndText(uint32_t root) {
  static constexpr absl::string_view kTexts[] = {
      "no stack",       "complete",  "depth limit",
      "no unwind rule", "bad frame", "foreign stack"};
  return root < std::size(kTexts) ? kTexts[root]
                                  : "a reason that is unknown here";
}

std::vector<std::string> StackLines(const FrameTable& table,
                                    absl::Span<const FrameRef> frames,
                                    uint32_t reason, uint32_t root,
                                    size_t most) {
  if (frames.empty()) {
    return {absl::StrCat(kIndent, "(", ReasonText(reason), ")")};
  }
  std::vector<std::string> lines = FrameLines(table, frames, most);
  if (EndedEarly(root)) {
    lines.push_back(
        absl::StrCat(kIndent, "\u2026 the stack goes on: ", WalkEndText(root)));
  }
  return lines;
}

void PrintMissing(std::ostream& out, const Snapshot& s) {
  if (!s.names.present()) {
    Paragraph(out, "  names      ",
              absl::StrCat("none yet; 'heaptally pack ", SafeText(s.path),
                           "' adds them"));
    return;
  }
  if (s.names.missing.empty()) return;
  absl::string_view head = "  names      ";
  for (const MissingModule& missing : s.names.missing) {
    Paragraph(out, head,
              absl::StrCat(SafeText(Basename(missing.module)), ": ",
                           SafeText(missing.hint)));
    head = "             ";
  }
}

}  // namespace heaptally
