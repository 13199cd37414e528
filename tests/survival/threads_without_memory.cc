// Threads are started while address space is exhausted: pthread_create fails,
// or the thread runs and its malloc returns null; nothing crashes.
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "tests/support/threads.h"

namespace {

std::atomic<int> ran{0};

void* Body(void*) {
  for (size_t size = 16; size < size_t{1} << 20; size *= 4) {
    void* block = malloc(size);
    if (block != nullptr) {
      memset(block, 1, size);
    }
    free(block);
  }
  free(calloc(1, 100));
  ++ran;
  return nullptr;
}

void* TakeAll(size_t smallest) {
  void** chain = nullptr;
  for (size_t size = size_t{16} << 20; size >= smallest; size /= 2) {
    while (auto** block = static_cast<void**>(malloc(size))) {
      *block = chain;
      chain = block;
    }
  }
  return chain;
}

void GiveBack(void* chain) {
  while (chain != nullptr) {
    void* next = *static_cast<void**>(chain);
    free(chain);
    chain = next;
  }
}

int StartMany(size_t stack_size) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstacksize(&attributes, stack_size), 0);
  pthread_t threads[64];
  int started = 0;
  for (int i = 0; i < 64; ++i) {
    int error = pthread_create(&threads[started], &attributes, Body, nullptr);
    CHECK(error == 0 || error == EAGAIN || error == ENOMEM);
    started += error == 0 ? 1 : 0;
  }
  for (int i = 0; i < started; ++i) {
    JoinThread(threads[i]);
  }
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

int main() {
  rlimit unlimited;
  CHECK_EQ(getrlimit(RLIMIT_AS, &unlimited), 0);
  rlimit limit = {size_t{1} << 30, unlimited.rlim_max};
  CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  for (size_t smallest : {size_t{1} << 20, size_t{1} << 16, size_t{64}}) {
    void* chain = TakeAll(smallest);
    StartMany(1 << 16);
    StartMany(8 << 20);
    GiveBack(chain);
  }
  CHECK_EQ(setrlimit(RLIMIT_AS, &unlimited), 0);
  ran = 0;
  CHECK_EQ(StartMany(1 << 20), 64);
  CHECK_EQ(ran.load(), 64);
  WriteText(1, "ok\n");
}
