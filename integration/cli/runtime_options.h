// The options of the runtime (accounting/options.def) as the tool knows them:
// for `heaptally run`, its help and docs/options.md. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_RUNTIME_OPTIONS_H_
#define HEAPTALLY_INTEGRATION_CLI_RUNTIME_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "integration/cli/launch_environment.h"

namespace heaptally::cli {

struct RuntimeOption {
  std::string name;
  std::string values;
  std::string default_value;  // empty: none
  std::string help;
};

// The whole table.
const std::vector<RuntimeOption>& AllRuntimeOptions();

// Those that `run` takes on its command line; it sets the others itself.
std::vector<RuntimeOption> RunOptions();

// "--min-size", "BYTES" and the help of the command line.
std::string FlagName(const RuntimeOption& option);
std::string ValueName(const RuntimeOption& option);
std::string RunHelp(const RuntimeOption& option);

// The value for HEAPTALLY of an option given on the command line: checked,
// numbers written out, paths absolute.
absl::StatusOr<std::string> CheckOption(const RuntimeOption& option,
                                        const std::string& text);

// Whether `existing` (a value of HEAPTALLY) or `options` set the option.
bool HasOption(absl::string_view existing, const RuntimeSettings& options,
               absl::string_view name);

// docs/options.md.
std::string OptionsManual();

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_RUNTIME_OPTIONS_H_
