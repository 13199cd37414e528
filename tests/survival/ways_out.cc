// The ways a process ends; the argument says which. Status and output are the
// program's own.
#include <signal.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tests/support/threads.h"

namespace {

struct AtEnd {
  ~AtEnd() { WriteText(1, "destructor\n"); }
};

AtEnd at_end;

void AtExit() { WriteText(1, "atexit\n"); }
void AtQuickExit() { WriteText(1, "quick\n"); }

[[noreturn]] void Crash() {
  *reinterpret_cast<volatile int*>(Keep(nullptr)) = 1;
  _exit(0);
}

void* ExitFromAThread(void*) { exit(6); }

void Leave(const std::string& way) {
  if (way == "_exit") _exit(7);
  if (way == "_Exit") _Exit(8);
  if (way == "quick_exit") quick_exit(9);
  if (way == "exit") exit(5);
  if (way == "abort") abort();
  if (way == "crash") Crash();
  if (way == "kill") raise(SIGKILL);
  if (way == "terminate") std::terminate();
  if (way == "throw") throw std::runtime_error("uncaught");
  if (way == "bad_alloc") Keep(operator new(KeepSize(SIZE_MAX / 2)));
  if (way == "pthread_exit") pthread_exit(nullptr);
  if (way == "thread") JoinThread(StartThread(ExitFromAThread));
}

}  // namespace

int main(int, char** argv) {
  atexit(AtExit);
  at_quick_exit(AtQuickExit);
  Churn churn(1);
  churn.Steps(1000);
  Leave(argv[1]);
  return 3;
}
