// A program that is measured: does what its first argument says, prints
// "ready", and ends when its standard input does.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<bool> stop{false};
std::atomic<int> child_signals{0};

void Ready() {
  puts("ready");
  fflush(stdout);
}

void WaitForEnd() {
  char buffer[64];
  while (read(0, buffer, sizeof(buffer)) > 0) {
  }
}

// Allocates, resizes and frees without pause; keeps a few hundred blocks.
void* Hammer(void* argument) {
  unsigned random =
      1 + static_cast<unsigned>(reinterpret_cast<uintptr_t>(argument));
  void* held[512] = {};
  while (!stop.load(std::memory_order_relaxed)) {
    random = random * 1664525u + 1013904223u;
    void*& slot = held[(random >> 8) % 512];
    const size_t size = (random >> 4) % 97 == 0 ? 200000 : (random >> 17) % 900;
    if ((random >> 20) % 3 == 0) {
      slot = realloc(slot, size + 1);
    } else {
      free(slot);
      slot = malloc(size);
    }
  }
  for (void* block : held) free(block);
  return nullptr;
}

int RunHammer(int threads, bool no_more_processes) {
  pthread_t ids[64];
  for (int i = 0; i < threads; ++i) {
    pthread_create(&ids[i], nullptr, Hammer,
                   reinterpret_cast<void*>(static_cast<intptr_t>(i)));
  }
  const rlimit none = {0, 0};
  if (no_more_processes) setrlimit(RLIMIT_NPROC, &none);
  Ready();
  WaitForEnd();
  stop = true;
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], nullptr);
  return 0;
}

void OnChild(int) { ++child_signals; }

// Nothing of a snapshot may reach a program that looks for children.
int RunWaiter() {
  struct sigaction action = {};
  action.sa_handler = OnChild;
  sigaction(SIGCHLD, &action, nullptr);
  pthread_t id;
  pthread_create(
      &id, nullptr,
      [](void*) -> void* {
        WaitForEnd();
        stop = true;
        return nullptr;
      },
      nullptr);
  Ready();
  long waits = 0;
  while (!stop) {
    siginfo_t info = {};
    if (wait(nullptr) != -1 || errno != ECHILD) return 3;
    if (waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD) return 4;
    if (waitid(P_ALL, 0, &info, WEXITED) != -1 || errno != ECHILD) return 5;
    free(malloc(100));
    ++waits;
  }
  pthread_join(id, nullptr);
  fprintf(stderr, "%d signals\n", child_signals.load());
  return waits > 100 ? 0 : 6;
}

// Main ends by pthread_exit; the process must end with its last thread.
int RunPthreadExit() {
  pthread_t id;
  pthread_create(
      &id, nullptr,
      [](void*) -> void* {
        Ready();
        WaitForEnd();
        return nullptr;
      },
      nullptr);
  pthread_exit(nullptr);
}

// Prints its child's number; both hold blocks of their own.
int RunFork() {
  void* before = malloc(1000);
  const pid_t child = fork();
  void* after = malloc(child == 0 ? 2000 : 3000);
  if (child == 0) {
    pause();
    _exit(0);
  }
  printf("%d\n", child);
  fflush(stdout);
  WaitForEnd();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  free(before);
  free(after);
  return 0;
}

// A heap of the given number of megabytes in blocks of 64 bytes.
int RunBig(long megabytes) {
  for (long i = 0; i < megabytes * (1l << 14); ++i) {
    void* block = malloc(64);
    memset(block, 1, 64);
  }
  Ready();
  WaitForEnd();
  return 0;
}

// Forks a child for each line it reads, while it hammers the heap.
int RunForks(int megabytes) {
  pthread_t id;
  pthread_create(&id, nullptr, Hammer, nullptr);
  for (long i = 0; i < megabytes * (1l << 14); ++i) memset(malloc(64), 1, 64);
  Ready();
  char line[64];
  do {
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    printf("%d\n", child);
    fflush(stdout);
    if (fgets(line, sizeof(line), stdin) == nullptr) line[0] = '\0';
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  } while (line[0] != '\0');
  stop = true;
  pthread_join(id, nullptr);
  return 0;
}

int RunForkExit() {
  Ready();
  const pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, nullptr, 0);
  return 0;
}

int RunChangeDirectory() {
  Ready();
  return chdir("/");
}

// Tells of a SIGCHLD at any time, also after its last destructor.
int RunChildSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    if (write(2, "SIGCHLD\n", 8) != 8) abort();
  };
  sigaction(SIGCHLD, &action, nullptr);
  Ready();
  return 0;
}

int RunSleep() {
  Ready();
  WaitForEnd();
  return 7;
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "hammer") == 0) return RunHammer(number, argc > 3);
  if (strcmp(what, "waiter") == 0) return RunWaiter();
  if (strcmp(what, "pthread_exit") == 0) return RunPthreadExit();
  if (strcmp(what, "fork") == 0) return RunFork();
  if (strcmp(what, "big") == 0) return RunBig(number);
  if (strcmp(what, "forks") == 0) return RunForks(number);
  if (strcmp(what, "fork_exit") == 0) return RunForkExit();
  if (strcmp(what, "chdir") == 0) return RunChangeDirectory();
  if (strcmp(what, "child_signals") == 0) return RunChildSignals();
  if (strcmp(what, "sleep") == 0) return RunSleep();
  return 2;
}
