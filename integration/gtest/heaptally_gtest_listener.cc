// The listener that looks at each test for leaks, and its flags. Compiled with
// the tests that use it, against their GoogleTest; adds itself before main.
// C++14.
#include <heaptally_gtest.h>
#include <heaptally_gtest_flags.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace heaptally {
namespace gtest {
namespace {

[[noreturn]] void Refuse(const std::string& why) {
  std::fprintf(stderr, "heaptally: %s\n", why.c_str());
  std::exit(2);
}

// `text` is what follows "--heaptally_", or NAME=VALUE made of a variable.
void SetFlag(Flags* flags, const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  const std::string value =
      name.size() == text.size() ? "" : text.substr(name.size() + 1);
  if (name == "leaks" && value == "fail") {
    flags->leaks = OnLeaks::kFail;
  } else if (name == "leaks" && value == "warn") {
    flags->leaks = OnLeaks::kWarn;
  } else if (name == "leaks" && value == "off") {
    flags->leaks = OnLeaks::kOff;
  } else if (name == "baseline" && (value.empty() || value == "1")) {
    flags->baseline = true;
  } else if (name == "baseline" && value == "0") {
    flags->baseline = false;
  } else if (name == "inactive" && (value == "fail" || value == "skip")) {
    flags->skip_inactive = value == "skip";
  } else if (name == "suppressions" && !value.empty()) {
    flags->suppressions = value;
  } else {
    Refuse("--heaptally_" + text +
           " has no meaning; there are leaks=fail|warn|off, baseline, "
           "suppressions=FILE and inactive=fail|skip");
  }
}

Flags ReadFlags() {
  Flags flags;
  const char* const kVariables[][2] = {
      {"HEAPTALLY_LEAKS", "leaks="},
      {"HEAPTALLY_BASELINE", "baseline="},
      {"HEAPTALLY_SUPPRESSIONS", "suppressions="},
      {"HEAPTALLY_INACTIVE", "inactive="}};
  for (const auto& variable : kVariables) {
    const char* const value = std::getenv(variable[0]);
    if (value != nullptr) SetFlag(&flags, variable[1] + std::string(value));
  }
  const std::string prefix = "--heaptally_";
  std::ifstream command_line("/proc/self/cmdline");
  std::string argument;
  std::getline(command_line, argument, '\0');
  while (std::getline(command_line, argument, '\0')) {
    if (argument == "--") break;
    if (argument.compare(0, prefix.size(), prefix) == 0) {
      SetFlag(&flags, argument.substr(prefix.size()));
    }
  }
  return flags;
}

class LeakListener : public ::testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const ::testing::UnitTest&) override {
    const Flags& flags = GetFlags();
    if (!flags.suppressions.empty()) {
      const std::string fault = SuppressLeaksOf(flags.suppressions);
      if (!fault.empty()) Refuse(fault);
    }
    if (flags.baseline && ::testing::GTEST_FLAG(repeat) == 1) {
      ::testing::GTEST_FLAG(repeat) = 2;
    }
    watches_ = flags.leaks != OnLeaks::kOff;
    const std::string inactive = WhyInactive();
    if (!watches_ || inactive.empty()) return;
    watches_ = false;
    if (flags.skip_inactive || flags.leaks == OnLeaks::kWarn) {
      std::printf("[  LEAKS   ] no test is checked: %s\n", inactive.c_str());
    } else {
      ADD_FAILURE() << "no test is checked for leaks: " << inactive;
    }
  }

  void OnTestIterationStart(const ::testing::UnitTest&, int number) override {
    is_baseline_ = GetFlags().baseline && number == 0;
  }

  void OnTestStart(const ::testing::TestInfo& test) override {
    if (!watches_ || is_baseline_) return;
    std::string error;
    measurement_ = BeginMeasurement(limit_, nullptr, &error);
    if (measurement_ == nullptr) Tell(test, error);
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (measurement_ == nullptr) return;
    const Verdict verdict = EndMeasurement(measurement_, limit_);
    measurement_ = nullptr;
    if (!verdict.passed) Tell(test, "the test " + verdict.message);
  }

  void OnTestProgramEnd(const ::testing::UnitTest&) override {
    if (!watches_) return;
    for (const std::string& text : UnusedSuppressions()) {
      std::printf("[  LEAKS   ] the suppression '%s' matched nothing\n",
                  text.c_str());
    }
  }

 private:
  static void Tell(const ::testing::TestInfo& test,
                   const std::string& message) {
    if (GetFlags().leaks == OnLeaks::kFail) {
      ADD_FAILURE_AT(test.file(), test.line()) << message;
    } else {
      std::printf("[  LEAKS   ] %s\n", message.c_str());
      std::fflush(stdout);
    }
  }

  const Limit limit_{Check::kNoLeaks, 0, "", 0};
  bool watches_ = false;
  bool is_baseline_ = false;
  Measurement* measurement_ = nullptr;
};

}  // namespace

const Flags& GetFlags() {
  static const Flags* const flags = new Flags(ReadFlags());
  return *flags;
}

// Once, even if several libraries of a program were each linked with this file.
bool AddLeakListener() {
  static const bool added = [] {
    ::testing::UnitTest::GetInstance()->listeners().Append(new LeakListener);
    return true;
  }();
  return added;
}

static const bool leak_listener_added = AddLeakListener();

}  // namespace gtest
}  // namespace heaptally
