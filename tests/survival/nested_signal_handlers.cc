// Handlers that interrupt one another to a depth of eight, on an alternate
// stack, each with blocks of its own, while the program allocates. The C
// library's own allocator does not live through this.
#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/support/threads.h"

namespace {

constexpr int kDeepest = 8;

volatile sig_atomic_t depth = 0;
volatile sig_atomic_t handled = 0;

void Handler(int) {
  int saved_errno = errno;
  depth = depth + 1;
  void* blocks[4];
  for (int i = 0; i < 4; ++i) {
    blocks[i] = malloc(size_t(depth) * 500 + size_t(i));
    Fill(blocks[i], 100, unsigned(depth));
  }
  if (depth < kDeepest) {
    raise(SIGUSR1);
  }
  for (void* block : blocks) {
    CHECK(IsFilled(block, 100, unsigned(depth)));
    free(block);
  }
  depth = depth - 1;
  handled = handled + 1;
  errno = saved_errno;
}

}  // namespace

int main() {
  static char memory[256 << 10];
  stack_t stack = {memory, 0, sizeof memory};
  CHECK_EQ(sigaltstack(&stack, nullptr), 0);
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART | SA_NODEFER | SA_ONSTACK;
  CHECK_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  CHECK_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  itimerval timer = {{0, 2000}, {0, 2000}};
  CHECK_EQ(setitimer(ITIMER_REAL, &timer, nullptr), 0);
  Churn churn(1);
  uint64_t end = Milliseconds() + 1000;
  while (Milliseconds() < end || handled < 200) {
    churn.Steps(50);
  }
  timer = {};
  CHECK_EQ(setitimer(ITIMER_REAL, &timer, nullptr), 0);
  WriteText(1, "ok\n");
}
