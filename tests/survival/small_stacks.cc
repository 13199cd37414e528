// Threads with the smallest stack that a thread may have, and handlers on a
// small alternate stack; below each lies a page that must not be touched.
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>

#include "tests/support/threads.h"

namespace {

constexpr size_t kPage = 4096;

// The room a handler has beside the frame that the kernel puts there.
constexpr size_t kHandlerRoom = 8192;

void* UseTheHeap(void*) {
  for (size_t size = 1; size < 3 << 20; size = size * 3 + 1) {
    void* block = realloc(calloc(1, size), size * 2);
    static_cast<char*>(block)[size] = 1;
    free(block);
    operator delete(operator new(size));
    free(aligned_alloc(4096, size));
  }
  return nullptr;
}

void SmallThreads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
  for (int i = 0; i < 200; ++i) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, &attributes, UseTheHeap, nullptr), 0);
    JoinThread(thread);
  }
  pthread_attr_destroy(&attributes);
}

void Handler(int) { UseTheHeap(nullptr); }

void* SmallAlternateStack(void*) {
  size_t frame = size_t(sysconf(_SC_MINSIGSTKSZ));
  size_t size = (frame + kHandlerRoom + kPage - 1) / kPage * kPage;
  auto* memory = static_cast<char*>(mmap(nullptr, size + kPage, PROT_NONE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK_EQ(mprotect(memory + kPage, size, PROT_READ | PROT_WRITE), 0);
  stack_t stack = {memory + kPage + size - (frame + kHandlerRoom), 0,
                   frame + kHandlerRoom};
  CHECK_EQ(sigaltstack(&stack, nullptr), 0);
  for (int i = 0; i < 50; ++i) {
    CHECK_EQ(raise(SIGUSR1), 0);
  }
  stack.ss_flags = SS_DISABLE;
  CHECK_EQ(sigaltstack(&stack, nullptr), 0);
  munmap(memory, size + kPage);
  return nullptr;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_ONSTACK;
  CHECK_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  SmallThreads();
  SmallAlternateStack(nullptr);
  for (int i = 0; i < 50; ++i) {
    JoinThread(StartThread(SmallAlternateStack));
  }
  WriteText(1, "ok\n");
}
