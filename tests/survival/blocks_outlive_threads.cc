// Blocks are allocated by threads that end, and freed, grown and measured by
// others.
#include <malloc.h>

#include "tests/support/threads.h"

namespace {

constexpr size_t kBlocks = 2000;

struct Parcel {
  void* blocks[kBlocks];
  size_t sizes[kBlocks];
};

void* Produce(void* number) {
  Random random(reinterpret_cast<uintptr_t>(number) + 17);
  auto* parcel = static_cast<Parcel*>(malloc(sizeof(Parcel)));
  for (size_t i = 0; i < kBlocks; ++i) {
    parcel->sizes[i] = random.Below(random.Below(20) == 0 ? 60000 : 200);
    parcel->blocks[i] = malloc(parcel->sizes[i]);
    Fill(parcel->blocks[i], parcel->sizes[i], unsigned(i));
  }
  return parcel;
}

void* Consume(void* argument) {
  auto* parcel = static_cast<Parcel*>(argument);
  for (size_t i = 0; i < kBlocks; ++i) {
    size_t size = parcel->sizes[i];
    CHECK(IsFilled(parcel->blocks[i], size, unsigned(i)));
    CHECK_GE(malloc_usable_size(parcel->blocks[i]), size);
    if (i % 3 == 0) {
      parcel->blocks[i] = realloc(parcel->blocks[i], size + 300);
      CHECK(IsFilled(parcel->blocks[i], size, unsigned(i)));
    }
    free(parcel->blocks[i]);
  }
  free(parcel);
  return nullptr;
}

}  // namespace

int main() {
  for (int round = 0; round < 25; ++round) {
    ThreadGroup<4> producers(Produce);
    pthread_t consumers[4];
    for (int i = 0; i < 4; ++i) {
      consumers[i] = StartThread(Consume, JoinThread(producers[i]));
    }
    for (pthread_t consumer : consumers) {
      JoinThread(consumer);
    }
  }
  WriteText(1, "ok\n");
}
