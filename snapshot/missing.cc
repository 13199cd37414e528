#include "snapshot/missing.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "snapshot/key_values.h"

namespace heaptally {

absl::StatusOr<std::vector<MissingModule>> ParseMissing(
    absl::string_view text) {
  std::vector<MissingModule> missing;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::vector<absl::string_view> words =
        absl::StrSplit(text.substr(0, end), '\t');
    MissingModule module;
    std::string* const fields[] = {&module.module, &module.build_id,
                                   &module.hint};
    bool sound = end != absl::string_view::npos && words.size() == 3;
    for (size_t i = 0; sound && i < 3; ++i) {
      absl::StatusOr<std::string> value = UnescapeValue(words[i]);
      sound = value.ok();
      if (sound) *fields[i] = *std::move(value);
    }
    if (!sound) {
      return absl::DataLossError(absl::StrCat(
          "line ", missing.size() + 1, " is not 'module build_id hint'"));
    }
    text.remove_prefix(end + 1);
    missing.push_back(std::move(module));
  }
  return missing;
}

std::string FormatMissing(absl::Span<const MissingModule> missing) {
  std::string text;
  for (const MissingModule& m : missing) {
    absl::StrAppend(&text, EscapeValue(m.module), "\t", EscapeValue(m.build_id),
                    "\t", EscapeValue(m.hint), "\n");
  }
  return text;
}

}  // namespace heaptally
