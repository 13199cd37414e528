// The macros of heaptally_gtest.h. Compiled with the tests that use it, against
// their GoogleTest. C++14.
#include <heaptally_gtest.h>
#include <heaptally_gtest_flags.h>

#include <cstdlib>
#include <utility>

namespace heaptally {
namespace gtest {

Expectation::Expectation(Limit limit, const char* file, int line)
    : limit_(std::move(limit)), file_(file), line_(line) {}

bool Expectation::Runs() {
  if (runs_ > limit_.baseline_runs) return false;
  if (runs_++ == limit_.baseline_runs) {
    std::string error;
    measurement_ =
        BeginMeasurement(limit_, __builtin_return_address(0), &error);
    if (measurement_ == nullptr) Report(error);
  }
  inside_ = true;
  return true;
}

void Expectation::EndRun() {
  inside_ = false;
  if (measurement_ == nullptr) return;
  Measurement* const measurement = measurement_;
  measurement_ = nullptr;
  const Verdict verdict = EndMeasurement(measurement, limit_);
  if (!verdict.passed) Report(verdict.message);
}

// Inside of a run if the code has left the braces before their end. A failure
// may throw; it has been told by then.
Expectation::~Expectation() {
  if (!inside_) return;
  try {
    if (runs_ <= limit_.baseline_runs) {
      Report("the code left its baseline run, so that nothing was checked");
    }
    EndRun();
  } catch (...) {
  }
}

void Expectation::Report(const std::string& message) const {
  const bool skip = SkipsWhenInactive() && !WhyInactive().empty();
  GTEST_MESSAGE_AT_(file_, line_, message.c_str(),
                    skip ? ::testing::TestPartResult::kSkip
                         : ::testing::TestPartResult::kNonFatalFailure);
}

}  // namespace gtest
}  // namespace heaptally
