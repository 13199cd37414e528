// Allocation at the bottom of very deep stacks, in a thread and on the main
// stack after its limit was raised.
#include <sys/resource.h>

#include "tests/support/threads.h"

namespace {

constexpr int kDepth = 200000;

__attribute__((noinline)) size_t Descend(int depth, int every) {
  void* block = depth % every == 0 ? malloc(size_t(depth % 100)) : nullptr;
  size_t sum = depth > 0 ? Descend(depth - 1, every) + 1 : 0;
  __asm__ volatile("" : : : "memory");
  free(block);
  return sum;
}

void* Body(void*) {
  CHECK_EQ(Descend(kDepth, 1000), kDepth);
  for (int i = 0; i < 50; ++i) {
    CHECK_EQ(Descend(1500, 1), 1500);
  }
  return nullptr;
}

}  // namespace

int main() {
  rlimit limit;
  CHECK_EQ(getrlimit(RLIMIT_STACK, &limit), 0);
  limit.rlim_cur = limit.rlim_max < (256u << 20) ? limit.rlim_max : 256u << 20;
  CHECK_EQ(setrlimit(RLIMIT_STACK, &limit), 0);
  Body(nullptr);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstacksize(&attributes, size_t{256} << 20), 0);
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, &attributes, Body, nullptr), 0);
  JoinThread(thread);
  WriteText(1, "ok\n");
}
