// `heaptally dump`: the raw file as text.
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "integration/cli/command.h"
#include "integration/cli/output.h"
#include "integration/cli/values.h"
#include "snapshot/dump.h"

namespace heaptally::cli {
namespace {

class DumpCommand : public Command {
 public:
  CommandText Text() const override {
    return {"dump",
            "Print a file's sections as text, for people who debug the file.",
            "FILE [options]",
            "Prints the header, the table of sections and the beginning of "
            "each section. A damaged section is named where it stands and the "
            "sound ones are shown; the exit status is 2 then. "
            "docs/file-format.md says what the sections mean.",
            {{"heaptally dump server-71.heaptally",
              "All sections, twenty rows of each."},
             {"heaptally dump server-71.heaptally --section facts",
              "What the process said about itself."},
             {"heaptally dump server-71.heaptally --section blocks.address "
              "--rows 0",
              "One column, whole."}}};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positional("FILE", &file_);
    arguments.Value("--section", "NAME", "Only the section of this name.",
                    &section_);
    arguments.Value("--rows", "N",
                    "Rows of each section; 20 unless told, 0 shows all.",
                    &rows_);
    arguments.Flag("--json", "Print JSON.", &json_);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    DumpOptions options;
    options.section = section_.value_or("");
    options.json = json_;
    if (rows_.has_value()) {
      const absl::StatusOr<uint64_t> rows =
          ParseCount("--rows", *rows_, 0, INT64_MAX);
      if (!rows.ok()) return rows.status();
      options.rows = *rows;
    }
    StandardOutput out;
    const absl::Status dumped = Dump(file_, options, out);
    const absl::Status written = out.Finish();
    if (!dumped.ok()) return dumped;
    if (!written.ok()) return written;
    return kExitSuccess;
  }

 private:
  std::string file_;
  std::optional<std::string> section_;
  std::optional<std::string> rows_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeDumpCommand() {
  return std::make_unique<DumpCommand>();
}

}  // namespace heaptally::cli
