// The arguments that a command declares: names for its help, places for their
// values. CLI11 does the parsing; what goes wrong is said in our own words.
// Values stay text here: each command turns its own into numbers, so that a
// bad one is named together with the way out. Not thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_ARGUMENTS_H_
#define HEAPTALLY_INTEGRATION_CLI_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace heaptally::cli {

class Arguments {
 public:
  // One option as help shows it.
  struct Shown {
    std::string names;  // "-o, --output FILE"
    std::string help;
  };

  explicit Arguments(std::string command);

  // A positional argument; `name` is the word of the usage line.
  void Positional(const std::string& name, std::string* value);
  void OptionalPositional(const std::string& name,
                          std::optional<std::string>* value);
  // All that are left; none is fine.
  void Positionals(const std::string& name, std::vector<std::string>* values);

  // `names` as CLI11 takes them: "-o,--output". Of an option that is given
  // twice, the last counts.
  void Flag(const std::string& names, const std::string& help, bool* value);
  void Value(const std::string& names, const std::string& value_name,
             const std::string& help, std::optional<std::string>* value);
  // An option that may be given several times, each with one value.
  void Values(const std::string& names, const std::string& value_name,
              const std::string& help, std::vector<std::string>* values);
  // An option whose value may be left out; `value` is then the empty text.
  void OptionalValue(const std::string& names, const std::string& value_name,
                     const std::string& help,
                     std::optional<std::string>* value);

  // Everything from the first word that is neither an option nor an option's
  // value on (or after "--") goes to `rest` as it stands.
  void Rest(std::vector<std::string>* rest) { rest_ = rest; }

  absl::Status Parse(std::vector<std::string> words);

  bool help_wanted() const { return help_wanted_; }
  const std::vector<Shown>& shown() const { return shown_; }

 private:
  struct Required {
    std::string name;
    CLI::Option* option;
  };

  CLI::Option* AddValue(const std::string& names, const std::string& value_name,
                        const std::string& help,
                        std::optional<std::string>* value);
  void SplitRest(std::vector<std::string>& words);
  bool TakesNextWord(const std::string& word) const;
  absl::Status CheckRemaining() const;
  absl::Status UnknownOption(const std::string& word) const;
  absl::Status Explain(const CLI::ParseError& error,
                       const std::vector<std::string>& words) const;
  std::string SeeHelp() const;

  std::string command_;
  CLI::App app_;
  std::vector<Shown> shown_;
  std::vector<Required> required_;
  std::vector<std::string>* rest_ = nullptr;
  bool help_wanted_ = false;
};

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_ARGUMENTS_H_
