// The tool `heaptally`: finds the command, parses its arguments, runs it, and
// turns what went wrong into one sentence and an exit status.
#include <fcntl.h>

#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "integration/cli/arguments.h"
#include "integration/cli/command.h"
#include "integration/cli/help.h"
#include "integration/cli/nearest.h"
#include "integration/cli/output.h"

namespace heaptally::cli {
namespace {

constexpr char kVersionLine[] = "heaptally " HEAPTALLY_VERSION "\n";

int Fail(absl::string_view command, absl::string_view sentence) {
  Complain(command, sentence);
  return kExitFailure;
}

int PrintOrFail(absl::string_view command, absl::string_view text) {
  IgnoreBrokenPipes();
  const absl::Status status = Print(text);
  return status.ok() ? kExitSuccess : Fail(command, status.message());
}

std::unique_ptr<Command> Find(absl::string_view name) {
  for (auto& command : AllCommands()) {
    if (command->Text().name == name) return std::move(command);
  }
  return nullptr;
}

// What people type who know other tools.
std::string OtherNameOf(absl::string_view name) {
  constexpr std::pair<absl::string_view, absl::string_view> kNames[] = {
      {"list", "ps"},       {"ls", "ps"},         {"top", "ps"},
      {"diff", "compare"},  {"show", "report"},   {"print", "report"},
      {"take", "snapshot"}, {"save", "snapshot"}, {"exec", "run"},
      {"start", "run"},     {"watch", "stat"},    {"status", "stat"},
      {"open", "view"},     {"gui", "view"},      {"serve", "view"}};
  for (const auto& [other, ours] : kNames) {
    if (other == name) return std::string(ours);
  }
  return "";
}

int UnknownCommand(absl::string_view name) {
  std::vector<std::string> names = {"help"};
  for (const auto& command : AllCommands()) {
    const CommandText text = command->Text();
    if (!text.hidden) names.push_back(text.name);
  }
  std::string nearest = OtherNameOf(name);
  if (nearest.empty() || Find(nearest) == nullptr) {
    nearest = Nearest(name, names);
  }
  return Fail("", absl::StrCat("unknown command ", name, "; ",
                               nearest.empty() ? "heaptally help lists them"
                                               : absl::StrCat("did you mean ",
                                                              nearest, "?")));
}

int Help(const std::vector<std::string>& words) {
  if (words.empty()) return PrintOrFail("help", GeneralHelp());
  const auto command = Find(words[0]);
  if (command == nullptr) return UnknownCommand(words[0]);
  return PrintOrFail("help", CommandHelp(*command));
}

int RunCommand(Command& command, std::vector<std::string> words) {
  const CommandText text = command.Text();
  Arguments arguments(text.name);
  command.Declare(arguments);
  const absl::Status parsed = arguments.Parse(std::move(words));
  if (!parsed.ok()) return Fail(text.name, parsed.message());
  if (arguments.help_wanted()) {
    return PrintOrFail(text.name, CommandHelp(command));
  }
  const absl::StatusOr<int> result = command.Run();
  return result.ok() ? *result : Fail(text.name, result.status().message());
}

// Files that are opened must not get the numbers of the standard streams. What
// is written there fails as before.
void FillStandardStreams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) {
      static_cast<void>(open("/dev/null", O_RDONLY));
    }
  }
}

int Main(std::vector<std::string> words) {
  FillStandardStreams();
  if (words.empty()) {
    std::cerr << GeneralHelp();
    return kExitFailure;
  }
  const std::string name = words[0];
  words.erase(words.begin());
  if (name == "help" || name == "--help" || name == "-h") return Help(words);
  if (name == "--version" || name == "version") {
    return PrintOrFail("", kVersionLine);
  }
  const auto command = Find(name);
  if (command == nullptr) return UnknownCommand(name);
  return RunCommand(*command, std::move(words));
}

}  // namespace
}  // namespace heaptally::cli

int main(int argc, char** argv) {
  try {
    return heaptally::cli::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    // Libraries below us throw, for one when memory runs out.
    heaptally::cli::Complain("", error.what());
    return heaptally::cli::kExitFailure;
  }
}
