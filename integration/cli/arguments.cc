#include "integration/cli/arguments.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "integration/cli/nearest.h"

namespace heaptally::cli {
namespace {

bool IsOption(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word != "--";
}

std::string NameOf(const std::string& word) {
  return word.substr(0, word.find('='));
}

}  // namespace

Arguments::Arguments(std::string command) : command_(std::move(command)) {
  app_.set_help_flag("");
  app_.allow_extras();
  app_.add_flag("-h,--help", help_wanted_);
}

void Arguments::Positional(const std::string& name, std::string* value) {
  required_.push_back({name, app_.add_option(name, *value)});
}

void Arguments::OptionalPositional(const std::string& name,
                                   std::optional<std::string>* value) {
  app_.add_option_function<std::string>(
      name, [value](const std::string& text) { *value = text; });
}

void Arguments::Positionals(const std::string& name,
                            std::vector<std::string>* values) {
  app_.add_option(name, *values);
}

void Arguments::Flag(const std::string& names, const std::string& help,
                     bool* value) {
  app_.add_flag(names, *value)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  shown_.push_back({absl::StrReplaceAll(names, {{",", ", "}}), help});
}

CLI::Option* Arguments::AddValue(const std::string& names,
                                 const std::string& value_name,
                                 const std::string& help,
                                 std::optional<std::string>* value) {
  shown_.push_back(
      {absl::StrCat(absl::StrReplaceAll(names, {{",", ", "}}), " ", value_name),
       help});
  return app_
      .add_option_function<std::string>(
          names, [value](const std::string& text) { *value = text; })
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void Arguments::Value(const std::string& names, const std::string& value_name,
                      const std::string& help,
                      std::optional<std::string>* value) {
  AddValue(names, value_name, help, value);
}

void Arguments::Values(const std::string& names, const std::string& value_name,
                       const std::string& help,
                       std::vector<std::string>* values) {
  shown_.push_back({absl::StrCat(names, " ", value_name), help});
  app_.add_option(names, *values)->expected(1)->allow_extra_args(false);
}

void Arguments::OptionalValue(const std::string& names,
                              const std::string& value_name,
                              const std::string& help,
                              std::optional<std::string>* value) {
  AddValue(names, absl::StrCat("[", value_name, "]"), help, value)
      ->expected(0, 1);
}

absl::Status Arguments::Parse(std::vector<std::string> words) {
  if (rest_ != nullptr) SplitRest(words);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app_.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return Explain(error, words);
  }
  if (help_wanted_) return absl::OkStatus();
  if (absl::Status status = CheckRemaining(); !status.ok()) return status;
  for (const Required& required : required_) {
    if (required.option->count() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(required.name, " is missing", SeeHelp()));
    }
  }
  return absl::OkStatus();
}

// Moves the words of the program to run from `words` to `rest_`.
void Arguments::SplitRest(std::vector<std::string>& words) {
  size_t at = 0;
  while (at < words.size() && IsOption(words[at])) {
    at += TakesNextWord(words[at]) ? 2 : 1;
  }
  at = std::min(at, words.size());
  const size_t first = at < words.size() && words[at] == "--" ? at + 1 : at;
  rest_->assign(words.begin() + static_cast<std::ptrdiff_t>(first),
                words.end());
  words.resize(at);
}

bool Arguments::TakesNextWord(const std::string& word) const {
  if (absl::StrContains(word, '=')) return false;
  const CLI::Option* option = app_.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_min() > 0;
}

absl::Status Arguments::CheckRemaining() const {
  const std::vector<std::string> remaining = app_.remaining();
  for (const std::string& word : remaining) {
    if (IsOption(word)) return UnknownOption(word);
  }
  for (const std::string& word : remaining) {
    if (word == "--") continue;
    if (app_.get_option_no_throw("--output") != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("one argument too many: ", word,
                       "; the file to write is given as -o ", word));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("one argument too many: ", word, SeeHelp()));
  }
  return absl::OkStatus();
}

absl::Status Arguments::UnknownOption(const std::string& word) const {
  std::vector<std::string> known = {"--help"};
  for (const Shown& option : shown_) {
    for (absl::string_view name : absl::StrSplit(option.names, ' ')) {
      if (absl::StartsWith(name, "--")) {
        known.emplace_back(name.substr(0, name.find(',')));
      }
    }
  }
  const std::string name = NameOf(word);
  const std::string nearest = Nearest(name, known);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown option ", name,
      nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?"),
      nearest.empty() ? SeeHelp() : ""));
}

// CLI11 names the option first in its messages; we only need to know which.
absl::Status Arguments::Explain(const CLI::ParseError& error,
                                const std::vector<std::string>& words) const {
  const std::string message = error.what();
  for (const std::string& word : words) {
    const std::string name = NameOf(word);
    if (!IsOption(word) || !absl::StrContains(message, name)) continue;
    const bool flag = app_.get_option_no_throw(name) != nullptr &&
                      app_.get_option_no_throw(name)->get_items_expected() == 0;
    return absl::InvalidArgumentError(absl::StrCat(
        name, flag ? " takes no value" : " needs a value", SeeHelp()));
  }
  return absl::InvalidArgumentError(absl::StrCat(message, SeeHelp()));
}

std::string Arguments::SeeHelp() const {
  return absl::StrCat("; see heaptally ", command_, " --help");
}

}  // namespace heaptally::cli
