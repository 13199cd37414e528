// The peak of several threads, which heaptally knows up to a bound that it
// tells: 64 KiB a thread. Two shared counters of usable bytes enclose the true
// number at every moment: one grows before a block is there and shrinks after
// it is gone, the other the other way round. The peak that heaptally tells must
// lie between their maxima, the bound added on either side.
#include <dlfcn.h>
#include <malloc.h>

#define HEAPTALLY_ENABLE
#include "integration/api/heaptally.h"
#include "tests/support/threads.h"

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 8;
constexpr int kSteps = 200000;
constexpr int kSlots = 600;
constexpr int kSizes = 100;
constexpr uint64_t kBound = (kThreads + 1) * (64 << 10);

class Enclosure {
 public:
  void Add(int64_t bytes) { NoteMaximum(bytes_.fetch_add(bytes) + bytes); }
  void Subtract(int64_t bytes) { bytes_.fetch_sub(bytes); }
  void Restart() { maximum_ = bytes_.load(); }
  int64_t bytes() const { return bytes_; }
  int64_t maximum() const { return maximum_; }

 private:
  void NoteMaximum(int64_t value) {
    int64_t seen = maximum_;
    while (seen < value && !maximum_.compare_exchange_weak(seen, value)) {
    }
  }

  std::atomic<int64_t> bytes_{0};
  std::atomic<int64_t> maximum_{0};
};

Enclosure upper;
Enclosure lower;
size_t sizes[kSizes];
int64_t usable[kSizes];
pthread_barrier_t barrier;

struct Slot {
  void* block = nullptr;
  size_t kind = 0;
};

void Make(Slot& slot, size_t kind) {
  upper.Add(usable[kind]);
  slot.block = malloc(sizes[kind]);
  slot.kind = kind;
  CHECK(slot.block != nullptr);
  lower.Add(usable[kind]);
  CHECK_EQ(malloc_usable_size(slot.block), usable[kind]);
}

void Drop(Slot& slot) {
  lower.Subtract(usable[slot.kind]);
  free(slot.block);
  slot.block = nullptr;
  upper.Subtract(usable[slot.kind]);
}

// Grows, shrinks and grows again, so that the peak is somewhere within.
void RunRound(Slot* slots, Random& random) {
  for (int i = 0; i < kSteps; ++i) {
    Slot& slot = slots[random.Below(kSlots)];
    const bool grow = i * 5 / kSteps % 2 == 0;
    if (slot.block == nullptr) {
      if (random.Below(10) < (grow ? 9 : 2)) {
        Make(slot, random.Below(random.Below(kSizes) + 1));
      }
    } else if (random.Below(10) < (grow ? 3 : 8)) {
      Drop(slot);
    }
  }
}

void* Body(void* number) {
  static Slot all_slots[kThreads][kSlots];
  const auto thread = reinterpret_cast<uintptr_t>(number);
  Random random(thread + 1);
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&barrier);
    RunRound(all_slots[thread], random);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);  // The counters are read before this.
  }
  return nullptr;
}

// From a byte to about a megabyte, most of them small.
void MeasureSizes() {
  double size = 1;
  for (int i = 0; i < kSizes; ++i, size *= 1.15) {
    sizes[i] = size_t(size);
    void* block = Keep(malloc(sizes[i]));
    usable[i] = int64_t(malloc_usable_size(block));
    free(block);
  }
}

template <typename Function>
Function* Find(const char* name) {
  auto* function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  CHECK(function != nullptr);
  return function;
}

struct heaptally_counters Counters() {
  static auto* const read =
      Find<int(struct heaptally_counters*)>("heaptally_get_counters");
  struct heaptally_counters counters;
  CHECK_EQ(read(&counters), 0);
  return counters;
}

void CheckRound(uint64_t base) {
  const struct heaptally_counters counters = Counters();
  CHECK_EQ(upper.bytes(), lower.bytes());
  CHECK_EQ(counters.current.usable, base + uint64_t(upper.bytes()));
  CHECK_EQ(counters.peak_bound, kBound);
  CHECK_LE(counters.peak.usable, base + uint64_t(upper.maximum()) + kBound);
  CHECK_GE(counters.peak.usable + kBound, base + uint64_t(lower.maximum()));
}

}  // namespace

int main() {
  static auto* const reset_peak = Find<int()>("heaptally_reset_peak");
  MeasureSizes();
  pthread_barrier_init(&barrier, nullptr, kThreads + 1);
  ThreadGroup<kThreads> threads(Body);
  const uint64_t base = Counters().current.usable;
  for (int round = 0; round < kRounds; ++round) {
    CHECK_EQ(reset_peak(), 0);
    upper.Restart();
    lower.Restart();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CheckRound(base);
    pthread_barrier_wait(&barrier);
  }
  threads.Join();
  // A peak that many made is not known better when they are gone.
  CHECK_EQ(Counters().peak_bound, kBound);
  WriteText(1, "ok\n");
}
