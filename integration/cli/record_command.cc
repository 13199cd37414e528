// `heaptally record`: switches what a running process records.
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "integration/cli/command.h"
#include "integration/cli/live_facts.h"
#include "integration/cli/live_process.h"
#include "integration/cli/output.h"
#include "integration/cli/values.h"
#include "integration/control/client.h"

namespace heaptally::cli {
namespace {

class RecordCommand : public Command {
 public:
  CommandText Text() const override {
    return {
        "record",
        "Switch what a running process records for new blocks.",
        "PID MODE [options]",
        "MODE is counters (no call stacks), sampled=BYTES (the stack of "
        "one block for each BYTES on average) or all. Blocks that live "
        "already keep the stack they have, or the reason why they have "
        "none; no block is lost.",
        {{"heaptally record 71 all", "Record every stack from now on."},
         {"heaptally record 71 sampled=512K", "Cheap enough for production."},
         {"heaptally record 71 counters", "Only count."}}};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positional("PID", &pid_);
    arguments.Positional("MODE", &mode_);
    process_.DeclareOptions(arguments);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    if (ParseMode(pid_).ok() && ParsePid(mode_).ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the process comes first: heaptally record ", mode_, " ", pid_));
    }
    const absl::StatusOr<std::string> mode = ParseMode(mode_);
    if (!mode.ok()) return mode.status();
    const absl::StatusOr<pid_t> pid = ParsePid(pid_);
    if (!pid.ok()) return pid.status();
    absl::StatusOr<control::Client> client = process_.Connect(pid_);
    if (!client.ok()) return client.status();
    const absl::StatusOr<control::Facts> reply = client->Record(*mode);
    if (!reply.ok()) return reply.status();
    StandardOutput out;
    if (process_.json()) {
      RecordJson(static_cast<uint64_t>(*pid), *reply, out);
    } else {
      out << "process " << *pid << " now records " << ModeInWords(*reply)
          << " for new blocks\n";
    }
    if (absl::Status status = out.Finish(); !status.ok()) return status;
    return kExitSuccess;
  }

 private:
  std::string pid_;
  std::string mode_;
  LiveProcess process_;
};

}  // namespace

std::unique_ptr<Command> MakeRecordCommand() {
  return std::make_unique<RecordCommand>();
}

}  // namespace heaptally::cli
