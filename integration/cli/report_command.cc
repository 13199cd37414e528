// `heaptally report`: what one snapshot holds.
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "integration/cli/command.h"
#include "integration/cli/grouping_arguments.h"
#include "integration/cli/named_snapshot.h"
#include "integration/cli/output.h"
#include "snapshot/report.h"

namespace heaptally::cli {
namespace {

class ReportCommand : public Command {
 public:
  CommandText Text() const override {
    return {
        "report",
        "Show what a snapshot holds, and which call stacks hold it.",
        "FILE [options]",
        "Prints the totals, whether the books balance, and the live blocks by "
        "call stack, the largest first. Bytes are usable bytes (what the size "
        "class gives) unless a column says requested (what the program asked "
        "for).\n\n"
        "A file that was not named yet is named from the programs and "
        "libraries of this machine.",
        {{"heaptally report server-71.heaptally",
          "Totals and the twenty call stacks that hold most."},
         {"heaptally report server-71.heaptally --by function --peak",
          "Which functions held how much when the heap was largest."},
         {"heaptally report server-71.heaptally --filter 'Cache' --inverted",
          "Only stacks through something named Cache, as a tree that begins "
          "where the memory was allocated."},
         {"heaptally report server-71.heaptally --json | jq .totals.current",
          "For programs: everything, in exact bytes."}}};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positional("FILE", &file_);
    grouping_.Declare(arguments);
    arguments.Flag("--inverted",
                   "Draw the call tree from where the memory was allocated "
                   "outwards.",
                   &inverted_);
    arguments.Flag("--peak",
                   "The values at the moment when the process held most, "
                   "instead of now. Not with --by size-class: sizes at the "
                   "peak are not recorded.",
                   &peak_);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    ReportOptions options;
    const absl::StatusOr<GroupBy> by = grouping_.by();
    if (!by.ok()) return by.status();
    const absl::StatusOr<size_t> top = grouping_.top();
    if (!top.ok()) return top.status();
    options.by = *by;
    options.top = *top;
    options.inverted = inverted_;
    options.peak = peak_;
    options.filter = grouping_.filter();
    options.exclude = grouping_.exclude();
    const absl::StatusOr<Snapshot> snapshot = ReadNamedSnapshot(file_);
    if (!snapshot.ok()) return snapshot.status();

    UseTerminalWidth();
    StandardOutput out;
    const absl::Status rendered = grouping_.json()
                                      ? ReportJson(*snapshot, options, out)
                                      : RenderReport(*snapshot, options, out);
    if (!rendered.ok()) return rendered;
    if (absl::Status status = out.Finish(); !status.ok()) return status;
    return kExitSuccess;
  }

 private:
  std::string file_;
  GroupingArguments grouping_;
  bool inverted_ = false;
  bool peak_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeReportCommand() {
  return std::make_unique<ReportCommand>();
}

}  // namespace heaptally::cli
