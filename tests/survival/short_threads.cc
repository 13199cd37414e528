// Ten thousand short threads, one after the other and in small crowds: what
// is kept for a thread is used again.
#include "tests/support/memory_use.h"
#include "tests/support/threads.h"

namespace {

constexpr int kWarmUp = 1000;
constexpr int kThreads = 10000;
constexpr int kCrowd = 8;
constexpr size_t kAllowedGrowth = size_t{8} << 20;

void* Body(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  churn.Steps(20);
  return malloc(48);
}

void RunThreads(int count) {
  for (int i = 0; i < count; i += kCrowd) {
    ThreadGroup<kCrowd> crowd(Body);
    for (int j = 0; j < kCrowd; ++j) {
      free(JoinThread(crowd[j]));
    }
  }
}

}  // namespace

int main() {
  RunThreads(kWarmUp);
  size_t before = ResidentBytes();
  RunThreads(kThreads);
  CHECK_LE(ResidentBytes(), before + kAllowedGrowth);
  WriteText(1, "ok\n");
}
