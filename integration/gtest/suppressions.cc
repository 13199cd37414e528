#include "integration/gtest/suppressions.h"

#include <fstream>
#include <mutex>
#include <regex>

namespace heaptally::gtest {
namespace {

enum class What { kFunction, kFile, kModule };

struct Suppression {
  std::string text;
  What what;
  std::regex pattern;
  bool used = false;
};

std::mutex lock;

std::vector<Suppression>& All() {
  static auto* const all = new std::vector<Suppression>;
  return *all;
}

std::string WithoutParameters(const std::string& function) {
  int depth = 0;
  for (size_t i = function.size(); i-- > 0;) {
    if (function[i] == ')') ++depth;
    if (function[i] == '(' && --depth == 0) return function.substr(0, i);
  }
  return function;
}

bool Matches(const Suppression& suppression, const FrameName& frame) {
  switch (suppression.what) {
    case What::kFunction:
      return std::regex_match(frame.function, suppression.pattern) ||
             std::regex_match(WithoutParameters(frame.function),
                              suppression.pattern);
    case What::kFile:
      return std::regex_match(frame.file, suppression.pattern);
    case What::kModule:
      return std::regex_match(frame.module, suppression.pattern);
  }
  return false;
}

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::string Suppressions::Add(const std::string& line) {
  const std::string text = Trimmed(line);
  const size_t colon = text.find(':');
  const std::string what = text.substr(0, colon);
  Suppression suppression{text, What::kFunction, {}};
  if (what == "file") {
    suppression.what = What::kFile;
  } else if (what == "module") {
    suppression.what = What::kModule;
  } else if (what != "function") {
    return "'" + text + "' begins with none of function:, file:, module:";
  }
  const std::string pattern =
      colon == std::string::npos ? "" : Trimmed(text.substr(colon + 1));
  if (pattern.empty()) return "'" + text + "' has no regular expression";
  try {
    suppression.pattern = std::regex(pattern);
  } catch (const std::regex_error& error) {
    return "'" + text + "': " + error.what();
  }
  const std::lock_guard<std::mutex> guard(lock);
  All().push_back(suppression);
  return "";
}

std::string Suppressions::AddFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return "cannot read " + path;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string text = Trimmed(line);
    if (text.empty() || text[0] == '#') continue;
    const std::string fault = Add(text);
    if (!fault.empty()) {
      std::string where = path;
      where.append(":").append(std::to_string(number)).append(": ");
      return where + fault;
    }
  }
  return "";
}

int Suppressions::Match(const std::vector<const FrameName*>& frames) {
  const std::lock_guard<std::mutex> guard(lock);
  for (size_t i = 0; i < All().size(); ++i) {
    for (const FrameName* frame : frames) {
      if (Matches(All()[i], *frame)) {
        All()[i].used = true;
        return static_cast<int>(i);
      }
    }
  }
  return -1;
}

std::string Suppressions::TextOf(int number) {
  const std::lock_guard<std::mutex> guard(lock);
  return All()[static_cast<size_t>(number)].text;
}

std::vector<std::string> Suppressions::Unused() {
  const std::lock_guard<std::mutex> guard(lock);
  std::vector<std::string> unused;
  for (const Suppression& suppression : All()) {
    if (!suppression.used) unused.push_back(suppression.text);
  }
  return unused;
}

}  // namespace heaptally::gtest
