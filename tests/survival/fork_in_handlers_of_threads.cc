// fork in a handler that may have interrupted malloc, in a program whose other
// threads allocate: the child executes another program or leaves. The C
// library's own allocator waits for itself here now and then.
#include <signal.h>
#include <sys/wait.h>

#include "tests/support/threads.h"

namespace {

std::atomic<int> forks{0};
std::atomic<bool> stop{false};

void Handler(int) {
  int number = forks.fetch_add(1);
  pid_t child = fork();
  if (child == 0) {
    if (number % 2 == 0) {
      _exit(0);
    }
    char program[] = "/bin/true";
    char* arguments[] = {program, nullptr};
    char* environment[] = {nullptr};
    execve(program, arguments, environment);
    _exit(1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
  }
  if (status != 0) {
    WriteText(2, "a child ended badly\n");
    _exit(CHECK_FAILED_STATUS);
  }
}

void* Allocate(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  while (!stop) {
    churn.Steps(50);
  }
  return nullptr;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  CHECK_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  ThreadGroup<3> threads(Allocate);
  for (int i = 0; i < 200; ++i) {
    CHECK_EQ(pthread_kill(threads[i % 3], SIGUSR1), 0);
    usleep(1500);
  }
  stop = true;
  threads.Join();
  CHECK_GE(forks.load(), 3);
  WriteText(1, "ok\n");
}
