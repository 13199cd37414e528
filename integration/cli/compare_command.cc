// `heaptally compare`: what changed between two snapshots.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "integration/cli/command.h"
#include "integration/cli/grouping_arguments.h"
#include "integration/cli/named_snapshot.h"
#include "integration/cli/output.h"
#include "integration/cli/values.h"
#include "snapshot/compare.h"
#include "snapshot/text_format.h"

namespace heaptally::cli {
namespace {

class CompareCommand : public Command {
 public:
  CommandText Text() const override {
    return {
        "compare",
        "Show what was allocated and freed between two snapshots.",
        "BASELINE COMPARISON [options]",
        "For every call stack, or by another grouping: blocks that are new, "
        "freed and survived, and the net, sorted by growth. Two snapshots of "
        "one process are compared block by block, exactly; snapshots of two "
        "processes or builds by named call stack, where the smaller of the two "
        "numbers, of blocks and of bytes each, counts as survived; the output "
        "says which.",
        {{"heaptally compare before.heaptally after.heaptally",
          "Which call stacks grew."},
         {"heaptally compare before.heaptally after.heaptally --by file",
          "Which source files' allocations grew."},
         {"heaptally compare before.heaptally after.heaptally --fail-if-grown "
          "64K",
          "For scripts: exit status 1 when the heap grew by more than 64 KiB "
          "of usable bytes."}}};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positional("BASELINE", &baseline_);
    arguments.Positional("COMPARISON", &comparison_);
    grouping_.Declare(arguments);
    arguments.Value("--fail-if-grown", "BYTES",
                    "Exit with status 1 when the net growth in usable bytes, "
                    "of what the filter lets pass, is above BYTES (takes K, M, "
                    "G).",
                    &fail_if_grown_);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    std::optional<uint64_t> limit;
    const absl::StatusOr<CompareOptions> options = Options(&limit);
    if (!options.ok()) return options.status();
    const absl::StatusOr<Snapshot> baseline = ReadNamedSnapshot(baseline_);
    if (!baseline.ok()) return baseline.status();
    const absl::StatusOr<Snapshot> comparison = ReadNamedSnapshot(comparison_);
    if (!comparison.ok()) return comparison.status();
    const absl::StatusOr<Comparison> result =
        Compare(*baseline, *comparison, *options);
    if (!result.ok()) return result.status();

    UseTerminalWidth();
    StandardOutput out;
    if (grouping_.json()) {
      ComparisonJson(*baseline, *comparison, *result, out);
    } else {
      RenderComparison(*baseline, *comparison, *result, out);
    }
    if (absl::Status status = out.Finish(); !status.ok()) return status;
    return limit.has_value() ? Judge(result->totals.net().usable, *limit)
                             : kExitSuccess;
  }

 private:
  absl::StatusOr<CompareOptions> Options(std::optional<uint64_t>* limit) {
    CompareOptions options;
    const absl::StatusOr<GroupBy> by = grouping_.by();
    if (!by.ok()) return by.status();
    const absl::StatusOr<size_t> top = grouping_.top();
    if (!top.ok()) return top.status();
    options.by = *by;
    options.top = *top;
    options.filter = grouping_.filter();
    options.exclude = grouping_.exclude();
    if (fail_if_grown_.has_value()) {
      const absl::StatusOr<uint64_t> bytes =
          ParseByteSize("--fail-if-grown", *fail_if_grown_);
      if (!bytes.ok()) return bytes.status();
      *limit = *bytes;
    }
    return options;
  }

  int Judge(int64_t grown, uint64_t limit) {
    if (grown <= 0 || static_cast<uint64_t>(grown) <= limit) {
      return kExitSuccess;
    }
    Complain("compare",
             absl::StrCat("the heap grew by ",
                          ThousandsText(static_cast<uint64_t>(grown)),
                          " usable bytes, and --fail-if-grown allows ",
                          ThousandsText(limit)));
    return kExitGrown;
  }

  std::string baseline_;
  std::string comparison_;
  GroupingArguments grouping_;
  std::optional<std::string> fail_if_grown_;
};

}  // namespace

std::unique_ptr<Command> MakeCompareCommand() {
  return std::make_unique<CompareCommand>();
}

}  // namespace heaptally::cli
