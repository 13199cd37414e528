// `heaptally view`: the Memory tool as a page in the browser.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "integration/cli/command.h"
#include "integration/cli/output.h"
#include "integration/cli/values.h"
#include "integration/view/view_server.h"

namespace heaptally::cli {
namespace {

bool IsPid(const std::string& word) {
  return std::all_of(word.begin(), word.end(), absl::ascii_isdigit);
}

absl::StatusOr<std::pair<std::string, std::string>> ParseMap(
    const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--source-map takes FROM=TO, such as /build/src=src, and not ", text));
  }
  return std::make_pair(text.substr(0, equals), text.substr(equals + 1));
}

class ViewCommand : public Command {
 public:
  CommandText Text() const override {
    return {"view",
            "Open the Memory tool as a page in the browser.",
            "[PID...] [FILE...] [options]",
            "Takes, lists, names, saves, loads, clears and compares snapshots, "
            "of running processes and from files, and shows them as table, "
            "call tree, tree map and summary. The page is served on this "
            "machine only, at an address that holds a secret; the address is "
            "printed, and Ctrl-C ends it. Snapshots that were not saved end "
            "with it, after a warning that names them.",
            {{"heaptally view", "All processes that run under heaptally."},
             {"heaptally view 71", "This one first."},
             {"heaptally view before.heaptally after.heaptally",
              "Files, without a process."},
             {"heaptally view --no-browser --port 8070 71",
              "Only print the address; then `ssh -L 8070:127.0.0.1:8070 HOST` "
              "shows the page of another machine."}}};
  }

  void Declare(Arguments& arguments) override {
    arguments.Positionals("PID or FILE", &words_);
    arguments.Flag("--no-browser", "Print the address and open no browser.",
                   &no_browser_);
    arguments.Values("--sources", "DIR",
                     "Show lines of source files below this folder; may be "
                     "given several times. The working folder unless given.",
                     &sources_);
    arguments.Values("--source-map", "FROM=TO",
                     "Look for files whose path begins with FROM below the "
                     "folder TO; may be given several times.",
                     &source_maps_);
    arguments.Value("--port", "N", "Listen on this port, not on any free one.",
                    &port_);
    arguments.Value("--socket-dir", "DIR",
                    "Where the control sockets are, if run was given another "
                    "folder than the usual one.",
                    &socket_dir_);
  }

  absl::StatusOr<int> Run() override {
    IgnoreBrokenPipes();
    absl::StatusOr<view::ViewOptions> options = Options();
    if (!options.ok()) return options.status();
    const absl::Status status = view::ServeView(
        *options,
        [](const std::string& address) {
          Print(absl::StrCat("The Memory tool is at ", address,
                             "\nCtrl-C ends it.\n"))
              .IgnoreError();
        },
        [](const std::string& sentence) { Complain("view", sentence); });
    if (!status.ok()) return status;
    return kExitSuccess;
  }

 private:
  absl::StatusOr<view::ViewOptions> Options() const {
    view::ViewOptions options;
    options.version = HEAPTALLY_VERSION;
    options.open_browser = !no_browser_;
    options.socket_directory = socket_dir_.value_or("");
    for (const std::string& word : words_) {
      if (!IsPid(word)) {
        options.files.push_back(word);
        continue;
      }
      const absl::StatusOr<pid_t> pid = ParsePid(word);
      if (!pid.ok()) return pid.status();
      options.processes.push_back(*pid);
    }
    for (const std::string& text : source_maps_) {
      auto map = ParseMap(text);
      if (!map.ok()) return map.status();
      options.source_maps.push_back(*std::move(map));
    }
    options.sources = sources_;
    if (sources_.empty()) options.sources.emplace_back(".");
    if (port_.has_value()) {
      const absl::StatusOr<uint64_t> port =
          ParseCount("--port", *port_, 1, UINT16_MAX);
      if (!port.ok()) return port.status();
      options.port = static_cast<uint16_t>(*port);
    }
    return options;
  }

  std::vector<std::string> words_;
  bool no_browser_ = false;
  std::vector<std::string> sources_;
  std::vector<std::string> source_maps_;
  std::optional<std::string> port_;
  std::optional<std::string> socket_dir_;
};

}  // namespace

std::unique_ptr<Command> MakeViewCommand() {
  return std::make_unique<ViewCommand>();
}

}  // namespace heaptally::cli
