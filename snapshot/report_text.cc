// The report of a snapshot for people: totals, books, coverage, the table of
// groups, the call tree. Thread-safe.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "snapshot/books.h"
#include "snapshot/call_tree_text.h"
#include "snapshot/census.h"
#include "snapshot/coverage_text.h"
#include "snapshot/filter.h"
#include "snapshot/report.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"
#include "snapshot/text_table.h"

namespace heaptally {
namespace {

// Frames of a traceback that are shown when not everything is.
constexpr size_t kFramesShown = 12;

void PrintHead(std::ostream& out, const Snapshot& s) {
  out << "heaptally report of " << TitleOf(s) << "\n\n";
  const uint64_t started = s.facts.Number("started_ns");
  const uint64_t taken = s.facts.Number("taken_ns");
  out << "  process    "
      << FitText(SafeText(s.facts.Text("command")), TextColumns() - 40)
      << " (pid " << s.facts.Number("pid") << " on "
      << FitText(SafeText(s.facts.Text("host")), 20) << ")\n";
  out << "  taken      " << UtcText(taken);
  if (started != 0 && taken > started) {
    out << ", " << DurationText(taken - started) << " after the start";
  }
  out << "\n  recording  " << ModeText(s) << "\n\n";
}

void PrintTotals(std::ostream& out, const Snapshot& s) {
  TextTable table({"          ", "blocks", "requested", "usable",
                   "  requested / usable exactly"});
  for (const absl::string_view which : {"current", "peak", "ever"}) {
    const Measure m = s.FactMeasure(which);
    table.Row({PadRight(which, 10), ThousandsText(m.blocks),
               BytesText(m.requested), BytesText(m.usable),
               absl::StrCat("  ", ThousandsText(m.requested), " / ",
                            ThousandsText(m.usable), " bytes")});
  }
  table.Print(out);
  out << '\n';
}

void PrintBooks(std::ostream& out, const Snapshot& s) {
  const Books books = EvaluateBooks(s);
  if (books.balanced()) {
    Paragraph(out, "  books      ",
              absl::StrCat("balanced: side headers, tracebacks and the "
                           "process's counters agree; jemalloc itself counts ",
                           BytesText(books.jemalloc_allocated),
                           " allocated, its caches included"));
    return;
  }
  Paragraph(out, "  books      ",
            "NOT BALANCED: the sums below should be equal, so the figures of "
            "this snapshot are doubtful");
  const std::pair<absl::string_view, const Measure*> sums[] = {
      {"process", &books.process},
      {"side headers", &books.side_headers},
      {"tracebacks", &books.tracebacks},
      {"blocks in this file", &books.block_columns},
      {"tracebacks in it", &books.traceback_columns}};
  for (const auto& [name, m] : sums) {
    out << "             " << PadRight(name, 20)
        << CountOf(m->blocks, "block", "blocks") << ", "
        << ThousandsText(m->requested) << " / " << ThousandsText(m->usable)
        << " bytes\n";
  }
  if (books.faults != 0) {
    Paragraph(out, "             ",
              absl::StrCat("the checker found ",
                           CountOf(books.faults, "fault", "faults"),
                           ", the first of the kind ", books.first_fault));
  }
}

void PrintCost(std::ostream& out, const Snapshot& s) {
  const uint64_t bound = s.facts.Number("peak_bound");
  Paragraph(out, "  peak       ",
            bound == 0 ? std::string("exact")
                       : absl::StrCat("at most ", BytesText(bound),
                                      " too low: threads report what they "
                                      "allocate in steps"));
  const absl::string_view method = s.capture.Text("method");
  Paragraph(
      out, "  cost       ",
      absl::StrCat("the program stood still for ",
                   DurationText(s.capture.Number("pause_ns")), "; written in ",
                   DurationText(s.capture.Number("duration_ns")),
                   method == "fork" ? " by a fork" : " in the process itself",
                   s.capture.Text("quiesced") == "0"
                       ? ", while other threads ran: not one point in time"
                       : ""));
  const uint64_t rss = s.facts.Number("rss");
  Paragraph(
      out, "  memory     ",
      absl::StrCat("heaptally itself uses ",
                   BytesText(s.facts.Number("own.total")),
                   rss == 0 ? ""
                            : absl::StrCat("; the process has ", BytesText(rss),
                                           " resident, with what it maps "
                                           "without malloc or new")));
}

std::string EstimateText(const Estimate& estimate) {
  return BytesText(static_cast<uint64_t>(std::llround(estimate.usable)));
}

void PrintEstimate(std::ostream& out, const Census& census) {
  if (!census.estimated) return;
  out << '\n';
  Paragraph(
      out, "  ",
      absl::StrCat(
          "Blocks were sampled. The columns blocks, requested and usable count "
          "what was sampled; 'estimated' is the usable bytes that these blocks "
          "stand for. Altogether about ",
          ThousandsText(static_cast<uint64_t>(
              std::llround(census.matched.estimate.blocks))),
          " blocks and ", EstimateText(census.matched.estimate), " usable."));
}

bool HasCallees(GroupBy by) {
  return by != GroupBy::kTraceback && by != GroupBy::kSizeClass;
}

std::vector<std::string> Headers(const Census& census) {
  std::vector<std::string> headers = {"#"};
  const bool peak = census.options.peak;
  headers.insert(headers.end(), {peak ? "usable then" : "usable", "%"});
  const GroupBy by = census.options.by;
  if (HasCallees(by)) {
    headers.insert(headers.end(), {"with callees", "%"});
  }
  headers.insert(headers.end(), {"blocks", "requested"});
  if (by == GroupBy::kTraceback) {
    headers.insert(headers.end(), {peak ? "usable now" : "at peak", "ever"});
  }
  if (census.estimated && by != GroupBy::kSizeClass) {
    headers.push_back("estimated");
  }
  headers.emplace_back(by == GroupBy::kTraceback
                           ? "id"
                           : (by == GroupBy::kSizeClass
                                  ? "size class"
                                  : std::string(GroupByName(by))));
  return headers;
}

std::vector<std::string> Cells(const Census& census, const CensusGroup& group,
                               size_t number) {
  const Measure& self = census.Shown(group.self);
  const uint64_t whole = census.Shown(census.whole).usable;
  const GroupBy by = census.options.by;
  std::vector<std::string> cells = {absl::StrCat(number),
                                    BytesText(self.usable),
                                    PercentText(self.usable, whole)};
  if (HasCallees(by)) {
    const Measure& total = census.Shown(group.total);
    cells.push_back(BytesText(total.usable));
    cells.push_back(PercentText(total.usable, whole));
  }
  cells.push_back(ThousandsText(self.blocks));
  cells.push_back(BytesText(self.requested));
  if (by == GroupBy::kTraceback) {
    const Measure& other =
        census.options.peak ? group.self.current : group.self.at_peak;
    cells.push_back(BytesText(other.usable));
    cells.push_back(ThousandsText(group.self.ever.blocks));
  }
  if (census.estimated && by != GroupBy::kSizeClass) {
    cells.push_back(EstimateText(group.self.estimate));
  }
  if (by == GroupBy::kTraceback) {
    cells.push_back(absl::StrCat(group.traceback));
  } else if (by == GroupBy::kSizeClass) {
    cells.push_back(absl::StrCat(group.name, " bytes"));
  } else {
    cells.push_back(group.name);
  }
  return cells;
}

std::vector<std::string> LinesBelow(const Census& census,
                                    const CensusGroup& group) {
  if (census.options.by != GroupBy::kTraceback) return {};
  return StackLines(*census.table, census.frames->OfTraceback(group.traceback),
                    group.reason,
                    census.frames->RootOfTraceback(group.traceback),
                    census.options.top == 0 ? 0 : kFramesShown);
}

void PrintTable(std::ostream& out, const Census& census) {
  const size_t top = census.options.top;
  size_t live = 0;
  for (const CensusGroup& group : census.groups) {
    if (census.Shown(group.total) != Measure()) ++live;
  }
  const size_t shown = top == 0 ? live : std::min(live, top);
  const absl::string_view plural = GroupByPlural(census.options.by);
  out << "\n  ";
  if (shown < live) {
    out << "The largest " << shown << " of " << ThousandsText(live) << ' '
        << plural;
  } else {
    out << CountOf(live, GroupByName(census.options.by), plural);
  }
  out << (census.options.peak ? " at the peak of the process" : "")
      << "; % is of " << BytesText(census.Shown(census.whole).usable)
      << " usable\n\n";
  TextTable table(Headers(census));
  if (census.options.by == GroupBy::kFunction) table.FitLastBy(FitFunction);
  if (census.options.by == GroupBy::kFile ||
      census.options.by == GroupBy::kLine) {
    table.FitLastBy(FitPath);
  }
  size_t number = 0;
  Measure rest;
  for (const CensusGroup& group : census.groups) {
    if (census.Shown(group.total) == Measure()) continue;
    if (++number > shown) {
      rest += census.Shown(group.self);
      continue;
    }
    table.Row(Cells(census, group, number), LinesBelow(census, group));
  }
  table.Print(out, true);
  if (shown < live) {
    out << "\n  \u2026 " << ThousandsText(live - shown) << " more " << plural
        << ", " << CountOf(rest.blocks, "block", "blocks") << ", "
        << BytesText(rest.usable) << " usable not shown; --top 0 shows all\n";
  }
}

void PrintFilter(std::ostream& out, const Census& census) {
  const ReportOptions& options = census.options;
  if (options.filter.empty() && options.exclude.empty()) return;
  const Measure& matched = census.Shown(census.matched);
  const Measure& whole = census.Shown(census.whole);
  out << '\n';
  Paragraph(out, "  filter     ",
            absl::StrCat(FilterText(options.filter, options.exclude),
                         " lets pass ", ThousandsText(matched.blocks), " of ",
                         CountOf(whole.blocks, "block", "blocks"), ", ",
                         BytesText(matched.usable), " usable, ",
                         PercentText(matched.usable, whole.usable)));
  if (matched == Measure()) {
    Paragraph(out, "             ",
              FilterHint(options.filter, options.exclude));
  }
}

}  // namespace

absl::Status RenderReport(const Snapshot& s, const ReportOptions& options,
                          std::ostream& out) {
  ReportOptions all = options;
  all.top = 0;  // The cut must say what it left out among the living.
  absl::StatusOr<Census> census = TakeCensus(s, all);
  if (!census.ok()) return census.status();
  census->options.top = options.top;
  PrintHead(out, s);
  PrintTotals(out, s);
  PrintBooks(out, s);
  PrintCoverage(out, s, *census->frames);
  PrintCost(out, s);
  PrintMissing(out, s);
  PrintFilter(out, *census);
  PrintEstimate(out, *census);
  PrintTable(out, *census);
  if (options.by != GroupBy::kSizeClass) PrintCallTree(out, *census);
  return absl::OkStatus();
}

}  // namespace heaptally
