#include "integration/cli/launch_environment.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace heaptally::cli {
namespace {

constexpr absl::string_view kPreload = "LD_PRELOAD";
constexpr absl::string_view kOptions = "HEAPTALLY";

bool Defines(absl::string_view word, absl::string_view name) {
  return absl::ConsumePrefix(&word, name) && absl::StartsWith(word, "=");
}

void Set(std::vector<std::string>& environment, absl::string_view name,
         absl::string_view value) {
  std::string word = absl::StrCat(name, "=", value);
  for (std::string& existing : environment) {
    if (Defines(existing, name)) {
      existing = std::move(word);
      return;
    }
  }
  environment.push_back(std::move(word));
}

}  // namespace

absl::StatusOr<std::string> MergeOptions(absl::string_view existing,
                                         const RuntimeSettings& options) {
  std::vector<std::string> words =
      absl::StrSplit(existing, ',', absl::SkipEmpty());
  for (const auto& [name, value] : options) {
    if (absl::StrContains(value, ',')) {
      return absl::InvalidArgumentError(absl::StrCat(
          value,
          " has a comma, which the variable HEAPTALLY cannot express; "
          "use another path"));
    }
    words.erase(std::remove_if(words.begin(), words.end(),
                               [&name = name](const std::string& word) {
                                 return Defines(word, name);
                               }),
                words.end());
    words.push_back(absl::StrCat(name, "=", value));
  }
  return absl::StrJoin(words, ",");
}

std::vector<std::string> LaunchEnvironment(
    const std::vector<std::string>& environment, absl::string_view runtime,
    absl::string_view options) {
  std::vector<std::string> result = environment;
  const std::string preload = ValueOf(environment, kPreload);
  Set(result, kPreload,
      preload.empty() ? std::string(runtime)
                      : absl::StrCat(runtime, ":", preload));
  Set(result, kOptions, options);
  return result;
}

std::string ValueOf(const std::vector<std::string>& environment,
                    absl::string_view name) {
  for (const std::string& word : environment) {
    if (Defines(word, name)) return word.substr(name.size() + 1);
  }
  return "";
}

}  // namespace heaptally::cli
