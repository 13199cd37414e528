// A command of the tool: what it is called, what its help says, which
// arguments it takes and what it does. One object serves one call.
// Not thread-safe; single-threaded like all of the command line.
#ifndef HEAPTALLY_INTEGRATION_CLI_COMMAND_H_
#define HEAPTALLY_INTEGRATION_CLI_COMMAND_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "integration/cli/arguments.h"

namespace heaptally::cli {

// The exit statuses of the tool itself. Under `run` the program's own status
// takes their place.
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitGrown = 1;  // `compare --fail-if-grown` only
inline constexpr int kExitFailure = 2;

struct Example {
  std::string command_line;
  std::string what;
};

struct CommandText {
  std::string name;
  std::string summary;    // one line, for the list of commands
  std::string arguments;  // after the name in the usage line
  std::string about;      // paragraphs, separated by empty lines
  std::vector<Example> examples;
  bool hidden = false;
};

class Command {
 public:
  virtual ~Command() = default;

  virtual CommandText Text() const = 0;

  // Declares the arguments; `arguments` keeps pointers into this object.
  virtual void Declare(Arguments& arguments) = 0;

  // Does the work and returns the exit status; a status that is not OK is one
  // sentence for the user, and becomes exit status 2.
  virtual absl::StatusOr<int> Run() = 0;
};

// All commands in the order in which help lists them, hidden ones last.
std::vector<std::unique_ptr<Command>> AllCommands();

// One function for each file `*_command.cc`.
std::unique_ptr<Command> MakeRunCommand();
std::unique_ptr<Command> MakePsCommand();
std::unique_ptr<Command> MakeStatCommand();
std::unique_ptr<Command> MakeRecordCommand();
std::unique_ptr<Command> MakeResetPeakCommand();
std::unique_ptr<Command> MakeSnapshotCommand();
std::unique_ptr<Command> MakeReportCommand();
std::unique_ptr<Command> MakeCompareCommand();
std::unique_ptr<Command> MakeViewCommand();
std::unique_ptr<Command> MakeDumpCommand();
std::unique_ptr<Command> MakePackCommand();
std::unique_ptr<Command> MakeDocsCommand();

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_COMMAND_H_
