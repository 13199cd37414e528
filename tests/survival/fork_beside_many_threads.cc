// A program of five hundred threads, each with blocks of its own, forks again
// and again; children free what the threads held.
#include <sys/wait.h>

#include "tests/support/threads.h"

namespace {

constexpr int kThreads = 500;

void* held[kThreads];
std::atomic<int> ready{0};
std::atomic<bool> stop{false};

void* Body(void* argument) {
  auto number = reinterpret_cast<uintptr_t>(argument);
  Churn churn(number);
  churn.Steps(50);
  held[number] = malloc(300);
  Fill(held[number], 300, unsigned(number));
  ++ready;
  while (!stop) {
    usleep(20000);
    churn.Step();
  }
  return nullptr;
}

[[noreturn]] void LiveAsAChild() {
  for (unsigned i = 0; i < kThreads; ++i) {
    CHECK(IsFilled(held[i], 300, i));
    free(held[i]);
  }
  {
    Churn churn(1);
    churn.Steps(500);
  }
  exit(0);
}

}  // namespace

int main() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
  static pthread_t threads[kThreads];
  for (uintptr_t i = 0; i < kThreads; ++i) {
    CHECK_EQ(pthread_create(&threads[i], &attributes, Body,
                            reinterpret_cast<void*>(i)),
             0);
  }
  while (ready < kThreads) {
    usleep(1000);
  }
  for (int i = 0; i < 40; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      LiveAsAChild();
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
  }
  stop = true;
  for (pthread_t thread : threads) {
    JoinThread(thread);
  }
  WriteText(1, "ok\n");
}
