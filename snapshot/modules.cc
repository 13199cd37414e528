#include "snapshot/modules.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "snapshot/format.h"
#include "snapshot/key_values.h"

namespace heaptally {
namespace {

bool IsHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

// "start-end bias generation build_id path".
bool ParseLine(absl::string_view line, Module& module) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::MaxSplits(' ', 4));
  if (words.size() != 5) return false;
  const std::pair<absl::string_view, absl::string_view> range =
      absl::StrSplit(words[0], absl::MaxSplits('-', 1));
  uint64_t generation = 0;
  for (const absl::string_view number :
       {range.first, range.second, words[1], words[2]}) {
    if (number.empty() || number.size() > 16 || !IsHex(number)) return false;
  }
  if (!absl::SimpleHexAtoi(range.first, &module.start) ||
      !absl::SimpleHexAtoi(range.second, &module.end) ||
      !absl::SimpleHexAtoi(words[1], &module.bias) ||
      !absl::SimpleHexAtoi(words[2], &generation)) {
    return false;
  }
  if (module.start >= module.end || generation > 0xffff) return false;
  module.generation = static_cast<uint32_t>(generation);
  if (words[3] != "-") {
    if (words[3].empty() || !IsHex(words[3])) return false;
    module.build_id = std::string(words[3]);
  }
  absl::StatusOr<std::string> path = UnescapeValue(words[4]);
  if (!path.ok() || path->empty()) return false;
  module.path = *std::move(path);
  return true;
}

}  // namespace

absl::StatusOr<std::vector<Module>> ParseModules(absl::string_view text) {
  std::vector<Module> modules;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    Module module;
    if (end == absl::string_view::npos ||
        !ParseLine(text.substr(0, end), module)) {
      return absl::DataLossError(absl::StrCat(
          "line ", modules.size() + 1, " is not 'start-end bias generation ",
          "build_id path'"));
    }
    text.remove_prefix(end + 1);
    modules.push_back(std::move(module));
  }
  return modules;
}

std::string FormatModules(absl::Span<const Module> modules) {
  std::string text;
  for (const Module& m : modules) {
    absl::StrAppend(&text, absl::Hex(m.start), "-", absl::Hex(m.end), " ",
                    absl::Hex(m.bias), " ", absl::Hex(m.generation), " ",
                    m.build_id.empty() ? "-" : m.build_id, " ");
    absl::StrAppend(&text, EscapeValue(m.path), "\n");
  }
  return text;
}

absl::string_view Basename(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

ModuleMap::ModuleMap(absl::Span<const Module> modules) {
  sorted_.reserve(modules.size());
  for (const Module& module : modules) sorted_.push_back(&module);
  std::stable_sort(sorted_.begin(), sorted_.end(),
                   [](const Module* a, const Module* b) {
                     return std::tie(a->generation, a->start) <
                            std::tie(b->generation, b->start);
                   });
}

const Module* ModuleMap::Find(uint64_t pc) const {
  const uint64_t generation = pc >> format::kGenerationShift;
  // The call that returns to `pc` may be the last instruction of the module.
  const uint64_t address = (pc & format::kPcMask) - 1;
  auto after = std::upper_bound(
      sorted_.begin(), sorted_.end(), std::make_pair(generation, address),
      [](const auto& key, const Module* m) {
        return std::make_pair(key.first, key.second) <
               std::make_pair(uint64_t{m->generation}, m->start);
      });
  if (after == sorted_.begin()) return nullptr;
  const Module* module = *std::prev(after);
  const bool inside = module->generation == generation &&
                      address >= module->start && address < module->end;
  return inside ? module : nullptr;
}

std::string ModuleOffsetName(const Module* module, uint64_t pc) {
  const uint64_t address = pc & format::kPcMask;
  if (module == nullptr) return absl::StrCat("0x", absl::Hex(address));
  return absl::StrCat(Basename(module->path), "+0x",
                      absl::Hex(address - module->bias));
}

}  // namespace heaptally
