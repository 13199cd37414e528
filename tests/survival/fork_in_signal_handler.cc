// A timer's handler forks wherever it finds the program, most often inside
// malloc. The child leaves at once, executes another program, or returns from
// the handler and goes on allocating.
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/support/threads.h"

namespace {

constexpr int kForks = 300;

volatile sig_atomic_t forks = 0;
volatile sig_atomic_t steps_left_in_child = -1;

void Handler(int) {
  if (steps_left_in_child >= 0 || forks >= kForks) {
    return;
  }
  int number = forks;
  pid_t child = fork();
  if (child == 0) {
    if (number % 3 == 0) {
      _exit(0);
    }
    if (number % 3 == 1) {
      char program[] = "/bin/true";
      char* arguments[] = {program, nullptr};
      char* environment[] = {nullptr};
      execve(program, arguments, environment);
      _exit(1);
    }
    steps_left_in_child = 300;
    return;
  }
  if (child < 0) {
    WriteText(2, "fork failed\n");
    _exit(CHECK_FAILED_STATUS);
  }
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
  }
  if (status != 0) {
    WriteText(2, "a child ended badly\n");
    _exit(CHECK_FAILED_STATUS);
  }
  forks = forks + 1;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  CHECK_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  itimerval timer = {{0, 700}, {0, 700}};
  CHECK_EQ(setitimer(ITIMER_REAL, &timer, nullptr), 0);
  Churn churn(1);
  while (forks < kForks) {
    churn.Step();
    if (steps_left_in_child > 0) {
      steps_left_in_child = steps_left_in_child - 1;
    }
    if (steps_left_in_child == 0) {
      _exit(0);
    }
  }
  WriteText(1, "ok\n");
}
