// `heaptally stat`: the counters of one running process.
#include <errno.h>
#include <time.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "integration/cli/command.h"
#include "integration/cli/live_facts.h"
#include "integration/cli/live_process.h"
#include "integration/cli/output.h"
#include "integration/cli/values.h"
#include "integration/control/client.h"

namespace heaptally::cli {
namespace {

void Sleep(double seconds) {
  const double whole = std::floor(seconds);
  timespec left = {static_cast<time_t>(whole),
                   static_cast<long>((seconds - whole) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

class StatCommand : public Command {
 public:
  CommandText Text() const override {
    return {"stat",
            "Show what a running process holds now, at its peak and ever.",
            "PID [options]",
            "Prints blocks, requested bytes (what the program asked for) and "
            "usable bytes (what the size classes gave): those that live now, "
            "those at the moment when the usable bytes were most, and all "
            "ever; then the memory of heaptally itself and the resident memory "
            "of the process. It reads counters: the process does not "
            "stop.",
            {{"heaptally stat 71", "Once."},
             {"heaptally stat 71 --watch 5",
              "Every five seconds, until the process ends."},
             {"heaptally stat 71 --watch --json",
              "One line of JSON a second, for programs."}}};
  }

  void Declare(Arguments& arguments) override {
    arguments.OptionalPositional("PID", &pid_);
    arguments.OptionalValue("--watch", "SECONDS",
                            "Print again every SECONDS (1 unless told) until "
                            "the process ends.",
                            &watch_);
    process_.DeclareOptions(arguments);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    // `stat --watch 71`: the option took what was meant as the PID.
    if (!pid_.has_value() && watch_.has_value() && !watch_->empty()) {
      pid_ = std::exchange(*watch_, "");
    }
    if (!pid_.has_value()) {
      return absl::InvalidArgumentError(
          "PID is missing; see heaptally stat --help");
    }
    double seconds = 1;
    if (watch_.has_value() && !watch_->empty()) {
      const absl::StatusOr<double> given = ParseSeconds("--watch", *watch_);
      if (!given.ok()) return given.status();
      seconds = *given;
    }
    absl::StatusOr<control::Client> client = process_.Connect(*pid_);
    if (!client.ok()) return client.status();
    return watch_.has_value() ? Watch(*client, seconds) : Once(*client);
  }

 private:
  absl::StatusOr<int> Once(control::Client& client) {
    const absl::StatusOr<control::Facts> facts = client.Stat();
    if (!facts.ok()) return facts.status();
    StandardOutput out;
    if (process_.json()) {
      StatJson(*facts, out);
    } else {
      out << StatForPeople(*facts);
    }
    if (absl::Status status = out.Finish(); !status.ok()) return status;
    return kExitSuccess;
  }

  // People get a line each time under one headline, programs an object a line.
  absl::StatusOr<int> Watch(control::Client& client, double seconds) {
    StandardOutput out;
    for (bool first = true;; first = false) {
      const absl::StatusOr<control::Facts> facts = client.Stat();
      // The process has ended: what we were waiting for, unless at once.
      if (!facts.ok() && absl::IsAborted(facts.status()) && !first) break;
      if (!facts.ok()) return facts.status();
      if (process_.json()) {
        StatJson(*facts, out);
      } else {
        if (first) out << WatchHeadline(*facts);
        out << WatchLine(*facts);
      }
      if (absl::Status status = out.Finish(); !status.ok()) return status;
      if (out.reader_gone()) break;
      Sleep(seconds);
    }
    return kExitSuccess;
  }

  std::optional<std::string> pid_;
  std::optional<std::string> watch_;
  LiveProcess process_;
};

}  // namespace

std::unique_ptr<Command> MakeStatCommand() {
  return std::make_unique<StatCommand>();
}

}  // namespace heaptally::cli
