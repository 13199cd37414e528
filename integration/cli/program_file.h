// What `run` has to know about a program before it becomes it: where the file
// is, and whether the loader will put the runtime into it. Reads files;
// thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_PROGRAM_FILE_H_
#define HEAPTALLY_INTEGRATION_CLI_PROGRAM_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace heaptally::cli {

// A program as execve takes it.
struct Program {
  std::string path;
  std::vector<std::string> arguments;  // begins with argv[0]
  bool gains_privileges = false;       // set-uid, set-gid or capabilities
  bool is_shell_script = false;        // what it starts is what matters
};

// The file that `name` means: itself when it has a slash, else the first
// executable one in the folders of `search_path` (the value of PATH).
absl::StatusOr<std::string> FindProgram(absl::string_view name,
                                        absl::string_view search_path);

// Finds words[0] and checks that the runtime can be preloaded into it. Scripts
// are followed to their interpreter; `#!/usr/bin/env NAME` becomes NAME itself,
// because `env` would be the measured program otherwise.
absl::StatusOr<Program> ResolveProgram(const std::vector<std::string>& words,
                                       absl::string_view search_path);

// The words after "#!" (at most two: the interpreter and its one argument);
// empty when the file is no script.
std::vector<std::string> InterpreterLine(const std::string& path);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_PROGRAM_FILE_H_
