// pthread_atfork handlers that allocate and free, registered early and late,
// while other threads allocate.
#include <sys/wait.h>

#include "tests/support/threads.h"

namespace {

std::atomic<bool> stop{false};
void* held = nullptr;

void Prepare() {
  free(held);
  held = malloc(1000);
  Fill(held, 1000, 2);
}

void Afterwards() {
  CHECK(IsFilled(held, 1000, 2));
  held = realloc(held, 3000);
  Churn churn(3);
  churn.Steps(100);
}

void* Allocate(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  while (!stop) {
    churn.Steps(100);
  }
  return nullptr;
}

__attribute__((constructor(101))) void RegisterEarly() {
  CHECK_EQ(pthread_atfork(Prepare, Afterwards, Afterwards), 0);
}

}  // namespace

int main() {
  ThreadGroup<3> threads(Allocate);
  for (int i = 0; i < 200; ++i) {
    if (i % 20 == 0) {
      CHECK_EQ(pthread_atfork(Prepare, Afterwards, Afterwards), 0);
    }
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      exit(0);
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
  }
  stop = true;
  threads.Join();
  WriteText(1, "ok\n");
}
