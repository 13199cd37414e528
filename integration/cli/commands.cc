#include "integration/cli/command.h"

namespace heaptally::cli {

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(MakeRunCommand());
  commands.push_back(MakePsCommand());
  commands.push_back(MakeStatCommand());
  commands.push_back(MakeRecordCommand());
  commands.push_back(MakeResetPeakCommand());
  commands.push_back(MakeSnapshotCommand());
  commands.push_back(MakeReportCommand());
  commands.push_back(MakeCompareCommand());
  commands.push_back(MakeViewCommand());
  commands.push_back(MakeDumpCommand());
  commands.push_back(MakePackCommand());
  commands.push_back(MakeDocsCommand());
  return commands;
}

}  // namespace heaptally::cli
