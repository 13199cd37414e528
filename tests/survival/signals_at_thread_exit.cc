// Signals whose handlers allocate reach threads that begin and end all the
// time: no moment of a thread's life is without cover. The C library's own
// allocator does not live through this.
#include <errno.h>
#include <signal.h>

#include "tests/support/threads.h"

namespace {

constexpr int kThreads = 3;
constexpr uint64_t kDuration = 1500;

std::atomic<uint64_t> handled{0};
std::atomic<bool> stop{false};

void Handler(int) {
  int saved_errno = errno;
  for (size_t size : {40, 3000, 20000}) {
    void* block = malloc(size);
    if (block != nullptr) {
      Fill(block, size, 9);
      block = realloc(block, size * 2);
      CHECK(IsFilled(block, size, 9));
      free(block);
    }
  }
  ++handled;
  errno = saved_errno;
}

// Leaves blocks of many sizes behind in whatever the thread has cached.
void* ShortLife(void* number) {
  void* blocks[200];
  Random random(reinterpret_cast<uintptr_t>(number));
  for (void*& block : blocks) {
    block = malloc(random.Below(20000));
  }
  for (void* block : blocks) {
    free(block);
  }
  return nullptr;
}

// The whole process is signalled: the kernel picks a thread that lets it.
void* SignalAll(void*) {
  while (!stop) {
    CHECK_EQ(kill(getpid(), SIGUSR1), 0);
    usleep(30);
  }
  return nullptr;
}

void SetMask(bool everything) {
  sigset_t mask;
  sigemptyset(&mask);
  if (everything) {
    sigfillset(&mask);
  }
  CHECK_EQ(pthread_sigmask(SIG_SETMASK, &mask, nullptr), 0);
}

// Only the short threads take signals.
void* StartMany(void* number) {
  while (!stop) {
    SetMask(false);
    pthread_t thread = StartThread(ShortLife, number);
    SetMask(true);
    JoinThread(thread);
  }
  return nullptr;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  CHECK_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  SetMask(true);
  pthread_t signalling = StartThread(SignalAll);
  ThreadGroup<kThreads> starting(StartMany);
  usleep(kDuration * 1000);
  stop = true;
  starting.Join();
  JoinThread(signalling);
  CHECK_GE(handled.load(), 100);
  WriteText(1, "ok\n");
}
