// `heaptally reset-peak`: lets the peak of a running process begin anew.
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "integration/cli/command.h"
#include "integration/cli/live_facts.h"
#include "integration/cli/live_process.h"
#include "integration/cli/output.h"
#include "integration/control/client.h"

namespace heaptally::cli {
namespace {

class ResetPeakCommand : public Command {
 public:
  CommandText Text() const override {
    return {"reset-peak",
            "Let the peak of a running process begin anew, from now.",
            "PID [options]",
            "After it the peak, and which call stacks made it up, count from "
            "the present heap on: reset it before a phase of the program, and "
            "a report with --peak shows that phase.",
            {{"heaptally reset-peak 71", "Forget the peak of the start-up."},
             {"heaptally reset-peak 71 --json", "Prints the new peak."}}};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positional("PID", &pid_);
    process_.DeclareOptions(arguments);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    absl::StatusOr<control::Client> client = process_.Connect(pid_);
    if (!client.ok()) return client.status();
    if (absl::Status status = client->ResetPeak(); !status.ok()) return status;
    const absl::StatusOr<control::Facts> facts = client->Stat();
    if (!facts.ok()) return facts.status();
    StandardOutput out;
    if (process_.json()) {
      ResetPeakJson(*facts, out);
    } else {
      out << ResetPeakForPeople(*facts);
    }
    if (absl::Status status = out.Finish(); !status.ok()) return status;
    return kExitSuccess;
  }

 private:
  std::string pid_;
  LiveProcess process_;
};

}  // namespace

std::unique_ptr<Command> MakeResetPeakCommand() {
  return std::make_unique<ResetPeakCommand>();
}

}  // namespace heaptally::cli
