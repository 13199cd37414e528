// One thread, a fast timer: the handler frees and replaces blocks that the
// interrupted code allocated, and the reverse.
#include <signal.h>
#include <sys/time.h>

#include "tests/support/threads.h"

namespace {

constexpr size_t kSlots = 256;
constexpr size_t kSize = 64;

std::atomic<void*> slots[kSlots];
volatile sig_atomic_t handled = 0;

void Exchange(size_t at, unsigned size_class) {
  size_t size = kSize << size_class;
  void* fresh = malloc(size);
  Fill(fresh, kSize, 5);
  void* old = slots[at].exchange(fresh);
  if (old != nullptr) {
    CHECK(IsFilled(old, kSize, 5));
    free(old);
  }
}

// One signal after the other, however long a handler takes.
void ArmTimer() {
  itimerval timer = {{0, 0}, {0, 60}};
  CHECK_EQ(setitimer(ITIMER_REAL, &timer, nullptr), 0);
}

void Handler(int) {
  handled = handled + 1;
  for (size_t i = 0; i < 16; ++i) {
    Exchange((size_t(handled) * 31 + i * 7) % kSlots, i % 9);
  }
  ArmTimer();
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  CHECK_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  ArmTimer();
  Random random(3);
  uint64_t end = Milliseconds() + 1500;
  while (Milliseconds() < end) {
    for (int i = 0; i < 100; ++i) {
      Exchange(random.Below(kSlots), unsigned(random.Below(9)));
    }
  }
  CHECK_GE(handled, 200);
  WriteText(1, "ok\n");
}
