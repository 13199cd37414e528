// A storm of signals whose handlers allocate, fill, check and free, most often
// inside malloc or free; contents are checked on both sides. The C library's
// own allocator does not live through this.
#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/support/threads.h"

namespace {

constexpr int kThreads = 3;
constexpr uint64_t kDuration = 1500;

std::atomic<bool> stop{false};
std::atomic<uint64_t> handled{0};

// A block that one handler leaves for a later one, of any thread, to free.
std::atomic<void*> left_behind{nullptr};
constexpr size_t kLeftSize = 200;

// One after the other, however long a handler takes.
void ArmTimer() {
  itimerval timer = {{0, 0}, {0, 150}};
  CHECK_EQ(setitimer(ITIMER_REAL, &timer, nullptr), 0);
}

void Handler(int signal_number) {
  int saved_errno = errno;
  uint64_t number = handled.fetch_add(1);
  for (size_t size = 1; size < 20000; size = size * 5 + number % 7) {
    void* block = malloc(size);
    if (block == nullptr) {
      continue;
    }
    CHECK_EQ(reinterpret_cast<uintptr_t>(block) % 16, 0);
    Fill(block, size, unsigned(number));
    block = realloc(block, size * 2);
    CHECK(IsFilled(block, size, unsigned(number)));
    free(block);
  }
  void* fresh = calloc(1, kLeftSize);
  Fill(fresh, kLeftSize, 77);
  void* older = left_behind.exchange(fresh);
  if (older != nullptr) {
    CHECK(IsFilled(older, kLeftSize, 77));
    free(older);
  }
  if (signal_number == SIGALRM) {
    ArmTimer();
  }
  errno = saved_errno;
}

void* Allocate(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  while (!stop) {
    churn.Steps(100);
    free(realloc(calloc(3, 50), 700));
    operator delete(operator new(40));
  }
  return nullptr;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  CHECK_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  CHECK_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  CHECK_EQ(sigaction(SIGUSR2, &action, nullptr), 0);
  ArmTimer();
  ThreadGroup<kThreads> threads(Allocate);
  uint64_t end = Milliseconds() + kDuration;
  Churn churn(100);
  for (int i = 0; Milliseconds() < end; ++i) {
    churn.Steps(20);
    CHECK_EQ(pthread_kill(threads[i % kThreads], i % 2 ? SIGUSR1 : SIGUSR2), 0);
  }
  stop = true;
  threads.Join();
  CHECK_GE(handled.load(), 500);
  WriteText(1, "ok\n");
}
