// `heaptally snapshot`: takes a snapshot of a running process. The process
// writes its books raw; names and compression are added here.
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "integration/cli/command.h"
#include "integration/cli/live_facts.h"
#include "integration/cli/live_process.h"
#include "integration/cli/output.h"
#include "integration/cli/raw_file.h"
#include "integration/cli/snapshot_name.h"
#include "integration/cli/taken_snapshot.h"
#include "integration/cli/values.h"
#include "integration/control/client.h"
#include "snapshot/books.h"
#include "snapshot/packer.h"
#include "snapshot/reader.h"
#include "snapshot/symbolizer.h"
#include "snapshot/writer.h"

namespace heaptally::cli {
namespace {

// What the runtime keeps.
constexpr size_t kLongestLabel = 4096;

// While it lives, the signals that a terminal or a supervisor ends us with
// wait: the file is either there, whole, or not at all.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t ending;
    sigemptyset(&ending);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    sigprocmask(SIG_BLOCK, &ending, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

uint64_t FileSize(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size)
                                        : 0;
}

class SnapshotCommand : public Command {
 public:
  CommandText Text() const override {
    return {"snapshot",
            "Take a snapshot of a running process.",
            "PID [options]",
            "Writes which blocks live, and which call stacks allocated them, "
            "to a file that reads the same on any machine. The process stops "
            "for the length of a fork; the pause is printed and stands in the "
            "file. Two snapshots of one process can be compared block by "
            "block.",
            {{"heaptally snapshot 71",
              "Into this folder, as COMMAND-PID-TIME.heaptally."},
             {"heaptally snapshot 71 -o before.heaptally --label 'idle'",
              "With a name and a label of your own."},
             {"heaptally snapshot 71 --json | jq -r .file", "For scripts."}}};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positional("PID", &pid_);
    arguments.Value("-o,--output", "FILE",
                    "The file to write; one of that name is replaced.",
                    &output_);
    arguments.Value("--label", "TEXT", "Keep this text with the snapshot.",
                    &label_);
    process_.DeclareOptions(arguments);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    const size_t label_size = label_.value_or("").size();
    if (label_size > kLongestLabel) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label: the text has ", label_size,
                       " bytes, and at most ", kLongestLabel, " are kept"));
    }
    absl::StatusOr<control::Client> client = process_.Connect(pid_);
    if (!client.ok()) return client.status();
    const absl::StatusOr<TakenSnapshot> taken = Take(*client);
    if (!taken.ok()) return taken.status();
    if (!taken->balanced) {
      Complain("snapshot",
               "warning: the books of this snapshot do not balance; heaptally "
               "report shows by how much");
    }
    StandardOutput out;
    if (process_.json()) {
      TakenJson(*taken, out);
    } else {
      out << TakenForPeople(*taken);
    }
    if (absl::Status status = out.Finish(); !status.ok()) return status;
    return kExitSuccess;
  }

 private:
  absl::StatusOr<TakenSnapshot> Take(control::Client& client) {
    TakenSnapshot taken;
    taken.label = label_.value_or("");
    const absl::StatusOr<std::string> target = Target(client);
    if (!target.ok()) return target.status();
    taken.file = *target;
    absl::StatusOr<RawFile> raw = RawFile::CreateFor(taken.file);
    if (!raw.ok()) return raw.status();
    ProgressLine progress;
    progress.Show("capturing");
    const absl::StatusOr<control::SnapshotReply> reply = client.Snapshot(
        raw->fd(), taken.label,
        [&progress](uint64_t bytes) { progress.Show(CapturingLine(bytes)); });
    if (!reply.ok()) return reply.status();
    taken.capture = *reply;
    if (absl::Status status = Finish(*raw, progress, &taken); !status.ok()) {
      return status;
    }
    return taken;
  }

  absl::StatusOr<std::string> Target(control::Client& client) const {
    if (output_.has_value()) return *output_;
    const absl::StatusOr<control::Facts> facts = client.Stat();
    if (!facts.ok()) return facts.status();
    const auto command = facts->find("command");
    return DefaultSnapshotName(
        command == facts->end() ? "" : command->second,
        static_cast<pid_t>(control::FactAsNumber(*facts, "pid")),
        time(nullptr));
  }

  // Names, packs and puts the file in its place.
  static absl::Status Finish(const RawFile& raw, ProgressLine& progress,
                             TakenSnapshot* taken) {
    absl::StatusOr<Snapshot> snapshot = ReadSnapshot(raw.path());
    if (!snapshot.ok()) {
      return absl::DataLossError(
          absl::StrCat("the process wrote a snapshot that cannot be read: ",
                       snapshot.status().message()));
    }
    progress.Show(NamingLine(snapshot->nodes.size()));
    Symbolizer symbolizer;
    if (absl::Status status = AddNames(*snapshot, symbolizer); !status.ok()) {
      return status;
    }
    progress.Show("packing");
    const HeldSignals held;
    if (absl::Status status = WriteSnapshot(*snapshot, taken->file);
        !status.ok()) {
      return status;
    }
    taken->file_bytes = FileSize(taken->file);
    taken->pid = snapshot->facts.Number("pid");
    taken->command = std::string(snapshot->facts.Text("command"));
    taken->sum = SumOf(snapshot->blocks);
    taken->balanced = EvaluateBooks(*snapshot).balanced();
    return absl::OkStatus();
  }

  std::string pid_;
  std::optional<std::string> output_;
  std::optional<std::string> label_;
  LiveProcess process_;
};

}  // namespace

std::unique_ptr<Command> MakeSnapshotCommand() {
  return std::make_unique<SnapshotCommand>();
}

}  // namespace heaptally::cli
