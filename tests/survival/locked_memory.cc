// A program that locks all its memory, now and in future, as real-time
// programs do: what is only reserved must not become resident.
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/support/memory_use.h"
#include "tests/support/threads.h"

namespace {

constexpr size_t kAllowed = size_t{160} << 20;

void* Body(void*) {
  Churn churn(1);
  churn.Steps(2000);
  return nullptr;
}

}  // namespace

int main() {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
    Body(nullptr);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK_EQ(pthread_attr_setstacksize(&attributes, 1 << 20), 0);
    for (int i = 0; i < 4; ++i) {
      pthread_t thread;
      CHECK_EQ(pthread_create(&thread, &attributes, Body, nullptr), 0);
      JoinThread(thread);
    }
    CHECK_LE(ResidentBytes(), kAllowed);
  }
  WriteText(1, "ok\n");
}
