// Threads that have never allocated fork all at once: glibc runs the fork
// handlers of several threads at the same time.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

namespace {

constexpr int kThreads = 4;
constexpr int kForks = 50;

void* Fork(void*) {
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[kThreads];
  for (pthread_t& thread : threads) {
    CHECK(pthread_create(&thread, nullptr, Fork, nullptr) == 0);
  }
  for (pthread_t thread : threads) CHECK(pthread_join(thread, nullptr) == 0);
  puts("ok");
}
