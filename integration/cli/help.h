// What `--help` prints and what docs/cli.md says: one source, two layouts.
// Pure functions.
#ifndef HEAPTALLY_INTEGRATION_CLI_HELP_H_
#define HEAPTALLY_INTEGRATION_CLI_HELP_H_

#include <string>

#include "absl/strings/string_view.h"
#include "integration/cli/arguments.h"
#include "integration/cli/command.h"

namespace heaptally::cli {

// The list of commands: `heaptally --help`.
std::string GeneralHelp();

// The help of one command. Calls its Declare().
std::string CommandHelp(Command& command);

// docs/cli.md: the help of every command that is not hidden.
std::string CommandLineManual();

// `text` in lines of at most `width` columns, each but the first indented.
// A paragraph that begins with a space is kept as it is.
std::string Wrap(absl::string_view text, size_t width, size_t indent);

// Two columns, the second wrapped, as help lists options.
std::string TwoColumns(const std::vector<Arguments::Shown>& rows,
                       size_t first_width);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_HELP_H_
