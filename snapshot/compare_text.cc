// A comparison for people: totals, then what changed. Thread-safe.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "snapshot/compare.h"
#include "snapshot/filter.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"
#include "snapshot/text_table.h"

namespace heaptally {
namespace {

constexpr size_t kFramesShown = 12;

std::string GrowthText(int64_t usable) {
  const auto magnitude = static_cast<uint64_t>(usable < 0 ? -usable : usable);
  if (usable == 0) return "neither grew nor shrank";
  return absl::StrCat(usable > 0 ? "grew by " : "shrank by ",
                      ThousandsText(magnitude), " usable bytes");
}

std::string ProcessText(const Snapshot& s) {
  return absl::StrCat(
      FitText(SafeText(s.facts.Text("command")), TextColumns() - 50), " (pid ",
      s.facts.Number("pid"), ")");
}

void PrintHead(std::ostream& out, const Snapshot& a, const Snapshot& b,
               const Comparison& result) {
  out << "heaptally compare\n\n"
      << "  baseline    " << TitleOf(a) << ", "
      << UtcText(a.facts.Number("taken_ns")) << '\n'
      << "  comparison  " << TitleOf(b) << ", "
      << UtcText(b.facts.Number("taken_ns"));
  const uint64_t before = a.facts.Number("taken_ns");
  const uint64_t after = b.facts.Number("taken_ns");
  if (after > before) out << ", " << DurationText(after - before) << " later";
  if (result.matched_by == MatchedBy::kBirthEpoch) {
    out << "\n  process     " << ProcessText(b) << '\n';
  } else {
    out << "\n  processes   " << ProcessText(a) << ", the baseline\n"
        << "              " << ProcessText(b) << ", the comparison\n";
  }
  Paragraph(out, "  matched by  ",
            absl::StrCat(MatchedByName(result.matched_by),
                         result.matched_by == MatchedBy::kBirthEpoch
                             ? ": exact, even where an address was used again"
                             : ", between two processes"));
  out << '\n';
}

void TotalRow(TextTable& table, absl::string_view name, const Measure& m) {
  table.Row({PadRight(name, 12), ThousandsText(m.blocks),
             BytesText(m.requested), BytesText(m.usable),
             absl::StrCat("  ", ThousandsText(m.requested), " / ",
                          ThousandsText(m.usable), " bytes")});
}

void PrintTotals(std::ostream& out, const Comparison& result) {
  const Change& t = result.totals;
  TextTable table({"            ", "blocks", "requested", "usable",
                   "  requested / usable exactly"});
  TotalRow(table, "baseline", t.freed + t.survived);
  TotalRow(table, "freed", t.freed);
  TotalRow(table, "survived", t.survived);
  TotalRow(table, "new", t.added);
  TotalRow(table, "comparison", t.added + t.survived);
  const NetMeasure net = t.net();
  table.Row({PadRight("net", 12), SignedCountText(net.blocks),
             SignedBytesText(net.requested), SignedBytesText(net.usable),
             absl::StrCat("  the heap ", GrowthText(net.usable))});
  table.Print(out);
  if (!result.options.filter.empty() || !result.options.exclude.empty()) {
    out << '\n';
    Paragraph(
        out, "  filter      ",
        absl::StrCat("only what ",
                     FilterText(result.options.filter, result.options.exclude),
                     " lets pass; without it the heap ",
                     GrowthText(result.whole_net().usable)));
    if (t == Change()) {
      Paragraph(out, "              ",
                FilterHint(result.options.filter, result.options.exclude));
    }
  }
}

void PrintNotes(std::ostream& out, const Comparison& result) {
  if (!result.notes.empty()) out << '\n';
  for (const std::string& note : result.notes) {
    Paragraph(out, "  note        ", SafeText(note));
  }
}

std::string NameOf(const Comparison& result, const ComparedGroup& group) {
  switch (result.options.by) {
    case GroupBy::kTraceback:
      return absl::StrCat(
          std::max(group.baseline_traceback, group.comparison_traceback));
    case GroupBy::kSizeClass:
      return absl::StrCat(group.name, " bytes");
    default:
      return group.name;
  }
}

std::vector<std::string> LinesBelow(const Comparison& result,
                                    const ComparedGroup& group) {
  if (result.options.by != GroupBy::kTraceback) return {};
  return StackLines(*result.table, result.FramesOf(group), group.reason,
                    result.RootOf(group),
                    result.options.top == 0 ? 0 : kFramesShown);
}

bool IsChanged(const ComparedGroup& group) {
  return group.change.added != Measure() || group.change.freed != Measure();
}

void PrintTable(std::ostream& out, const Comparison& result) {
  const absl::string_view plural = GroupByPlural(result.options.by);
  const size_t changed = static_cast<size_t>(
      std::count_if(result.groups.begin(), result.groups.end(), IsChanged));
  if (changed == 0) {
    out << "\n  Nothing changed in any of the "
        << ThousandsText(result.groups.size() + result.omitted_groups) << ' '
        << plural << ".\n";
    return;
  }
  out << "\n  What changed, by "
      << (result.options.by == GroupBy::kSizeClass
              ? "size class"
              : GroupByName(result.options.by))
      << ", largest growth first; bytes are usable\n\n";
  TextTable table({"net", "new", "freed", "survived", "blocks: net", "new",
                   "freed", "survived",
                   result.options.by == GroupBy::kTraceback
                       ? "id"
                       : std::string(GroupByName(result.options.by))});
  if (result.options.by == GroupBy::kFunction) table.FitLastBy(FitFunction);
  if (result.options.by == GroupBy::kFile ||
      result.options.by == GroupBy::kLine) {
    table.FitLastBy(FitPath);
  }
  for (const ComparedGroup& group : result.groups) {
    if (!IsChanged(group)) continue;
    const Change& c = group.change;
    const NetMeasure net = c.net();
    table.Row({SignedBytesText(net.usable), BytesText(c.added.usable),
               BytesText(c.freed.usable), BytesText(c.survived.usable),
               SignedCountText(net.blocks), ThousandsText(c.added.blocks),
               ThousandsText(c.freed.blocks), ThousandsText(c.survived.blocks),
               NameOf(result, group)},
              LinesBelow(result, group));
  }
  table.Print(out, true);
}

void PrintCut(std::ostream& out, const Comparison& result) {
  const absl::string_view plural = GroupByPlural(result.options.by);
  const uint64_t unchanged =
      static_cast<uint64_t>(std::count_if(
          result.groups.begin(), result.groups.end(),
          [](const ComparedGroup& group) { return !IsChanged(group); })) +
      result.omitted_groups - result.omitted_changed;
  const Change& c = result.omitted;
  if (result.omitted_changed != 0) {
    out << '\n';
    Paragraph(out, "  ",
              absl::StrCat("\u2026 ", ThousandsText(result.omitted_changed),
                           " more ", plural, " that changed not shown: net ",
                           SignedBytesText(c.net().usable), " usable, new ",
                           CountOf(c.added.blocks, "block", "blocks"), " (",
                           BytesText(c.added.usable), "), freed ",
                           CountOf(c.freed.blocks, "block", "blocks"), " (",
                           BytesText(c.freed.usable), "); --top 0 shows all"));
  }
  if (unchanged != 0 &&
      result.totals.added + result.totals.freed != Measure()) {
    out << "\n  " << CountOf(unchanged, GroupByName(result.options.by), plural)
        << " without a change " << (unchanged == 1 ? "is" : "are")
        << " not shown.\n";
  }
}

}  // namespace

void RenderComparison(const Snapshot& baseline, const Snapshot& comparison,
                      const Comparison& result, std::ostream& out) {
  PrintHead(out, baseline, comparison, result);
  PrintTotals(out, result);
  PrintNotes(out, result);
  PrintTable(out, result);
  PrintCut(out, result);
}

}  // namespace heaptally
