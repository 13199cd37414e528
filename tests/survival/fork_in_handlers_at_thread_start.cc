// fork in a handler that interrupts a thread's first or last allocation, when
// the allocator is setting up or taking down what it keeps for the thread.
#include <signal.h>
#include <sys/wait.h>

#include "tests/support/threads.h"

namespace {

constexpr int kWaves = 120;
constexpr int kThreads = 3;

std::atomic<int> forks{0};

void Handler(int) {
  forks.fetch_add(1);
  pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
  }
  if (status != 0) {
    WriteText(2, "a child ended badly\n");
    _exit(CHECK_FAILED_STATUS);
  }
}

void* AllocateAFew(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  churn.Steps(3);
  return nullptr;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  CHECK_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  Random random(1);
  for (int i = 0; i < kWaves; ++i) {
    ThreadGroup<kThreads> threads(AllocateAFew);
    for (int j = 0; j < kThreads; ++j) {
      CHECK_EQ(pthread_kill(threads[j], SIGUSR1), 0);
      usleep(unsigned(random.Below(60)));
    }
    threads.Join();
  }
  CHECK_GE(forks.load(), kThreads);
  WriteText(1, "ok\n");
}
