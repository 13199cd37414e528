// Threads that stay are started until the system refuses; each allocates as
// its first act, when what the allocator keeps for a thread is set up.
#include <errno.h>
#include <sys/resource.h>

#include "tests/support/threads.h"

namespace {

constexpr int kMost = 4000;

std::atomic<bool> leave{false};

void* Body(void*) {
  void* block = malloc(100);
  while (!leave) {
    usleep(10000);
  }
  free(block);
  free(malloc(100000));
  return nullptr;
}

}  // namespace

int main() {
  rlimit limit = {size_t{600} << 20, size_t{600} << 20};
  CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstacksize(&attributes, size_t{1} << 20), 0);
  static pthread_t threads[kMost];
  int started = 0;
  while (started < kMost &&
         pthread_create(&threads[started], &attributes, Body, nullptr) == 0) {
    ++started;
  }
  CHECK(started > 10 && started < kMost);
  leave = true;
  for (int i = 0; i < started; ++i) {
    JoinThread(threads[i]);
  }
  Churn churn(1);
  churn.Steps(1000);
  WriteText(1, "ok\n");
}
