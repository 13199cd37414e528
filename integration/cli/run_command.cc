// `heaptally run`: becomes the program, with the runtime preloaded into it.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "integration/cli/command.h"
#include "integration/cli/launch_environment.h"
#include "integration/cli/output.h"
#include "integration/cli/program_file.h"
#include "integration/cli/runtime_library.h"
#include "integration/cli/runtime_options.h"

extern char** environ;

namespace heaptally::cli {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> OwnEnvironment() {
  char** end = environ;
  while (*end != nullptr) ++end;
  return {environ, end};
}

std::string SearchPath(const std::vector<std::string>& environment) {
  std::string path = ValueOf(environment, "PATH");
  return path.empty() ? "/bin:/usr/bin" : path;
}

// Only returns when the program cannot be run.
absl::Status Execute(Program program, std::vector<std::string> environment) {
  execve(program.path.c_str(), Pointers(program.arguments).data(),
         Pointers(environment).data());
  if (errno == ENOEXEC) {
    // A script without a first line; shells and execvp give it to sh.
    std::vector<std::string> words = {"sh", program.path};
    words.insert(words.end(), program.arguments.begin() + 1,
                 program.arguments.end());
    execve("/bin/sh", Pointers(words).data(), Pointers(environment).data());
  }
  return absl::FailedPreconditionError(
      absl::StrCat("cannot run ", program.path, ": ", strerror(errno)));
}

class RunCommand : public Command {
 public:
  CommandText Text() const override {
    return {
        "run",
        "Run a program under heaptally.",
        "[options] [--] PROGRAM [ARGUMENTS...]",
        "Becomes the program, with heaptally's allocator preloaded: process "
        "id, exit status, standard streams, signals and environment are the "
        "program's own. While it runs, `heaptally ps` lists it and `heaptally "
        "snapshot` takes snapshots of it.\n\n"
        "Every call stack is recorded unless --mode says otherwise. Options "
        "can also stand in the variable HEAPTALLY (docs/options.md); the "
        "command line wins.\n\n"
        "Programs that PROGRAM starts run without heaptally, unless --follow "
        "is given; also the one that a shell script or a wrapper such as nice "
        "turns into. A program that is statically linked cannot be preloaded.",
        {{"heaptally run -- ./server --port 8080",
          "Record every stack; look with heaptally ps, stat and snapshot."},
         {"heaptally run --at-exit out-%p.heaptally -- g++ -c big.cc",
          "Take a snapshot when the program ends; %p becomes the process id."},
         {"heaptally run --follow --mode sampled=512K -- make",
          "Record one stack for each 512 KiB on average, in all children "
          "too."}}};
  }

  void Declare(Arguments& arguments) override {
    for (const RuntimeOption& option : RunOptions()) {
      given_.push_back({option, std::nullopt});
      arguments.Value(FlagName(option), ValueName(option), RunHelp(option),
                      &given_.back().text);
    }
    arguments.Flag("--follow",
                   "Run the program's children under heaptally too.", &follow_);
    arguments.Flag("--no-follow", "Only the program itself (the default).",
                   &no_follow_);
    arguments.Flag("--no-control",
                   "Open no control socket, so that the process has no thread "
                   "of heaptally's: for programs that make a user namespace. "
                   "They can be given --at-exit, but not be reached.",
                   &no_control_);
    arguments.Value("--runtime", "PATH",
                    "Preload this libheaptally.so instead of the one beside "
                    "the tool.",
                    &runtime_);
    arguments.Rest(&words_);
  }

  absl::StatusOr<int> Run() override {
    if (words_.empty()) {
      return absl::InvalidArgumentError(
          "the program to run is missing: heaptally run -- PROGRAM "
          "[ARGUMENTS...]");
    }
    if (follow_ && no_follow_) {
      return absl::InvalidArgumentError(
          "--follow and --no-follow exclude each other");
    }
    const std::vector<std::string> environment = OwnEnvironment();
    const absl::StatusOr<std::string> self = OwnExecutable();
    if (!self.ok()) return self.status();
    const absl::StatusOr<std::string> runtime =
        runtime_.has_value() ? CheckRuntime(*runtime_) : FindRuntime(*self);
    if (!runtime.ok()) return runtime.status();
    const absl::StatusOr<std::string> options =
        OptionsVariable(ValueOf(environment, "HEAPTALLY"), *self);
    if (!options.ok()) return options.status();
    absl::StatusOr<Program> program =
        ResolveProgram(words_, SearchPath(environment));
    if (!program.ok()) return program.status();
    if (program->gains_privileges) {
      Complain(
          "run",
          absl::StrCat("warning: ", program->path,
                       " gets other rights than yours when it runs (set-uid, "
                       "set-gid or capabilities), so the system preloads "
                       "nothing into it; it runs without heaptally"));
    }
    // Not into logs and pipes: there it would not be the program's own output.
    if (program->is_shell_script && !follow_ && StandardErrorIsTerminal()) {
      Complain("run", absl::StrCat("note: ", words_[0],
                                   " is a shell script; what it starts runs "
                                   "without heaptally unless --follow is "
                                   "given"));
    }
    return Execute(*std::move(program),
                   LaunchEnvironment(environment, *runtime, *options));
  }

 private:
  struct GivenOption {
    RuntimeOption option;
    std::optional<std::string> text;  // none: not on the command line
  };

  // The value of HEAPTALLY for the program.
  absl::StatusOr<std::string> OptionsVariable(const std::string& existing,
                                              const std::string& self) const {
    RuntimeSettings options;
    for (const GivenOption& given : given_) {
      if (!given.text.has_value()) continue;
      absl::StatusOr<std::string> value =
          CheckOption(given.option, *given.text);
      if (!value.ok()) return value.status();
      options.emplace_back(given.option.name, *std::move(value));
    }
    if (!HasOption(existing, options, "mode")) {
      options.emplace_back("mode", "all");
    }
    if (no_control_) {
      options.emplace_back("control", "off");
    } else if (!HasOption(existing, options, "control")) {
      options.emplace_back("control", "on");
    }
    options.emplace_back("env", follow_ ? "keep" : "clean");
    if (HasOption(existing, options, "at_exit")) {
      options.emplace_back("packer", self);
    }
    return MergeOptions(existing, options);
  }

  // A deque: Declare() hands out pointers to its elements.
  std::deque<GivenOption> given_;
  bool follow_ = false;
  bool no_follow_ = false;
  bool no_control_ = false;
  std::optional<std::string> runtime_;
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> MakeRunCommand() {
  return std::make_unique<RunCommand>();
}

}  // namespace heaptally::cli
