// A program forks many times while its other threads allocate and use stdio;
// every child allocates, frees, prints, starts a thread and leaves.
#include <stdio.h>
#include <sys/wait.h>

#include "tests/support/threads.h"

namespace {

constexpr int kForks = 300;

std::atomic<bool> stop{false};
FILE* shared_file;

void* Allocate(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  while (!stop) {
    churn.Steps(100);
  }
  return nullptr;
}

void* Print(void*) {
  while (!stop) {
    fprintf(shared_file, "%d %s\n", 42, "a line of text");
    FILE* own = fopen("/dev/null", "w");
    fprintf(own, "%f", 1.5);
    fclose(own);
    char* text = nullptr;
    CHECK(asprintf(&text, "%0200d", 7) == 200);
    free(text);
  }
  return nullptr;
}

void* ChildThread(void*) {
  Churn churn(5);
  churn.Steps(200);
  return nullptr;
}

[[noreturn]] void LiveAsAChild(int number) {
  {
    Churn churn(number);
    churn.Steps(500);
  }
  FILE* own = fopen("/dev/null", "w");
  fprintf(own, "%d", number);
  fclose(own);
  fprintf(shared_file, "child %d\n", number);
  if (number % 4 == 0) {
    JoinThread(StartThread(ChildThread));
  }
  if (number % 2 == 0) {
    exit(number % 100);
  }
  _exit(number % 100);
}

}  // namespace

int main() {
  shared_file = fopen("/dev/null", "w");
  ThreadGroup<2> allocating(Allocate);
  ThreadGroup<2> printing(Print);
  for (int i = 0; i < kForks; ++i) {
    pid_t child = fork();
    if (child == 0) {
      LiveAsAChild(i);
    }
    CHECK(child > 0);
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), i % 100);
  }
  stop = true;
  allocating.Join();
  printing.Join();
  WriteText(1, "ok\n");
}
