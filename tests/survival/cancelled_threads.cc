// Threads are cancelled at random while they allocate and sleep; cleanup
// handlers free what they held.
#include <unistd.h>

#include "tests/support/threads.h"

namespace {

std::atomic<int> cleaned{0};

void Cleanup(void* block) {
  CHECK(IsFilled(block, 500, 8));
  free(block);
  ++cleaned;
}

void* Body(void* number) {
  void* block = malloc(500);
  Fill(block, 500, 8);
  pthread_cleanup_push(Cleanup, block);
  Random random(reinterpret_cast<uintptr_t>(number));
  while (true) {
    for (int i = 0; i < 20; ++i) {
      void* other = malloc(random.Below(5000));
      free(realloc(other, random.Below(5000) + 1));
    }
    pthread_testcancel();
    if (random.Below(4) == 0) {
      usleep(50);
    }
  }
  pthread_cleanup_pop(1);
  return nullptr;
}

}  // namespace

int main() {
  constexpr int kRounds = 250;
  for (int round = 0; round < kRounds; ++round) {
    ThreadGroup<4> threads(Body);
    usleep(useconds_t(round % 10) * 100);
    for (int i = 0; i < 4; ++i) {
      CHECK_EQ(pthread_cancel(threads[i]), 0);
    }
    threads.Join();
  }
  CHECK_LE(cleaned.load(), kRounds * 4);
  CHECK_GE(cleaned.load(), kRounds);
  WriteText(1, "ok\n");
}
