// Threads whose stacks the program brings along, from malloc and from mmap,
// small and large, the same memory again for one thread after the other.
#include <sys/mman.h>

#include "tests/support/threads.h"

namespace {

constexpr size_t kLargest = size_t{1} << 20;

__attribute__((noinline)) void Descend(int depth) {
  void* block = malloc(size_t(depth) * 30);
  if (depth > 0) {
    Descend(depth - 1);
  }
  __asm__ volatile("" : : : "memory");
  free(block);
}

void* Body(void*) {
  Churn churn(6);
  for (int i = 0; i < 20; ++i) {
    Descend(100);
    churn.Steps(20);
  }
  return nullptr;
}

void RunOn(void* stack, size_t size) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstack(&attributes, stack, size), 0);
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, &attributes, Body, nullptr), 0);
  JoinThread(thread);
  pthread_attr_destroy(&attributes);
}

}  // namespace

int main() {
  void* mapped = mmap(nullptr, kLargest, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t size = 64 << 10; size <= kLargest; size *= 2) {
    for (int i = 0; i < 5; ++i) {
      RunOn(mapped, size);
      RunOn(static_cast<char*>(mapped) + kLargest - size, size);
      void* allocated = aligned_alloc(4096, size);
      RunOn(allocated, size);
      free(allocated);
    }
  }
  WriteText(1, "ok\n");
}
