// `heaptally pack`: adds the names to a file and compresses it. The runtime
// runs it on the snapshot that a program under `heaptally run` takes at its
// exit; on success it says nothing, since it speaks on that program's streams.
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "integration/cli/command.h"
#include "integration/cli/output.h"
#include "snapshot/packer.h"
#include "snapshot/symbolizer.h"

namespace heaptally::cli {
namespace {

class PackCommand : public Command {
 public:
  CommandText Text() const override {
    return {"pack",
            "Add names to a snapshot file and compress it, in place.",
            "FILE",
            "For a file that a runtime wrote by itself. A file that has names "
            "already stays as it is.",
            {{"heaptally pack out-71.heaptally",
              "Makes the file readable on other machines."}},
            true};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positional("FILE", &file_);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    Symbolizer symbolizer;
    const absl::Status status = PackFile(file_, symbolizer);
    if (!status.ok()) return status;
    return kExitSuccess;
  }

 private:
  std::string file_;
};

}  // namespace

std::unique_ptr<Command> MakePackCommand() {
  return std::make_unique<PackCommand>();
}

}  // namespace heaptally::cli
