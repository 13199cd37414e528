// `heaptally docs`: writes the pages of docs/ that are made from tables. For
// the build and its tests, so it is not listed.
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "integration/cli/command.h"
#include "integration/cli/help.h"
#include "integration/cli/output.h"
#include "integration/cli/runtime_options.h"

namespace heaptally::cli {
namespace {

class DocsCommand : public Command {
 public:
  CommandText Text() const override {
    return {"docs",
            "Print a page of the documentation that is made from tables.",
            "PAGE",
            "PAGE is options or cli.",
            {{"heaptally docs options > docs/options.md",
              "After a change of accounting/options.def."}},
            true};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positional("PAGE", &page_);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    if (page_ != "options" && page_ != "cli") {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown page ", page_, "; there are options and cli"));
    }
    const absl::Status status =
        Print(page_ == "cli" ? CommandLineManual() : OptionsManual());
    if (!status.ok()) return status;
    return kExitSuccess;
  }

 private:
  std::string page_;
};

}  // namespace

std::unique_ptr<Command> MakeDocsCommand() {
  return std::make_unique<DocsCommand>();
}

}  // namespace heaptally::cli
