// `heaptally ps`: the processes that run under heaptally.
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "integration/cli/command.h"
#include "integration/cli/live_facts.h"
#include "integration/cli/live_process.h"
#include "integration/cli/output.h"
#include "integration/control/client.h"

namespace heaptally::cli {
namespace {

// A process that is stopped must not keep the list waiting.
constexpr int kPatienceMs = 2000;

class PsCommand : public Command {
 public:
  CommandText Text() const override {
    return {"ps",
            "List the processes that run under heaptally.",
            "[options]",
            "Prints, for each of your processes that can be asked: its id, "
            "what it records, the usable bytes it holds now and held at its "
            "peak, the memory that heaptally itself takes in it, and for how "
            "long it has run.",
            {{"heaptally ps", "Find the PID for the other commands."},
             {"heaptally ps --json | jq '.processes[].pid'", "For scripts."}}};
  }

  void Declare(Arguments& arguments) override {
    process_.DeclareOptions(arguments);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    const absl::StatusOr<std::vector<pid_t>> pids =
        control::ListProcesses(process_.socket_dir());
    if (!pids.ok()) return pids.status();
    bool silent = false;
    const std::vector<control::Facts> processes = Ask(*pids, &silent);
    StandardOutput out;
    if (process_.json()) {
      ProcessesJson(processes, out);
    } else if (!processes.empty()) {
      out << ProcessTable(processes, OutputWidth());
    } else if (!silent) {
      Complain("ps",
               "no process is running under heaptally; start one with "
               "heaptally run -- PROGRAM");
    }
    if (absl::Status status = out.Finish(); !status.ok()) return status;
    return kExitSuccess;
  }

 private:
  // Sets `silent` if a process is there that does not answer, and says so.
  std::vector<control::Facts> Ask(const std::vector<pid_t>& pids,
                                  bool* silent) const {
    std::vector<control::Facts> processes;
    for (pid_t pid : pids) {
      absl::StatusOr<control::Client> client =
          control::Client::Connect(pid, process_.socket_dir());
      if (!client.ok()) continue;  // Ended meanwhile.
      client->set_timeout_ms(kPatienceMs);
      absl::StatusOr<control::Facts> facts = client->Stat();
      if (facts.ok()) {
        processes.push_back(*std::move(facts));
      } else if (absl::IsDeadlineExceeded(facts.status())) {
        *silent = true;
        Complain("ps", facts.status().message());
      }
    }
    return processes;
  }

  LiveProcess process_;
};

}  // namespace

std::unique_ptr<Command> MakePsCommand() {
  return std::make_unique<PsCommand>();
}

}  // namespace heaptally::cli
