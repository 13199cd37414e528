// Threads for programs that run under an allocator: plain pthreads, so that
// starting one does nothing that the program does not see.
#ifndef HEAPTALLY_TESTS_SUPPORT_THREADS_H_
#define HEAPTALLY_TESTS_SUPPORT_THREADS_H_

#include <pthread.h>
#include <time.h>

#include <atomic>

#include "tests/support/check.h"

using ThreadBody = void* (*)(void*);

inline pthread_t StartThread(ThreadBody body, void* argument = nullptr) {
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, nullptr, body, argument), 0);
  return thread;
}

inline void* JoinThread(pthread_t thread) {
  void* result = nullptr;
  CHECK_EQ(pthread_join(thread, &result), 0);
  return result;
}

// Several threads with one body, which is told its number.
template <int kCount>
class ThreadGroup {
 public:
  explicit ThreadGroup(ThreadBody body) {
    for (intptr_t i = 0; i < kCount; ++i) {
      threads_[i] = StartThread(body, reinterpret_cast<void*>(i));
    }
  }
  void Join() {
    for (pthread_t thread : threads_) {
      JoinThread(thread);
    }
  }
  pthread_t operator[](int i) const { return threads_[i]; }

 private:
  pthread_t threads_[kCount];
};

// A small generator: each thread has its own.
class Random {
 public:
  explicit Random(uint64_t seed)
      : state_(seed * 2654435769u + 88172645463325u) {}
  uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  size_t Below(size_t limit) { return Next() % limit; }

 private:
  uint64_t state_;
};

inline uint64_t Milliseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1000 + uint64_t(now.tv_nsec) / 1000000;
}

// A table of blocks that is changed at random; damage fails a check.
class Churn {
 public:
  static constexpr size_t kBlocks = 64;

  explicit Churn(uint64_t seed) : random_(seed) {}
  ~Churn() {
    for (Slot& slot : slots_) {
      Release(slot);
    }
  }
  void Step() {
    Slot& slot = slots_[random_.Below(kBlocks)];
    Release(slot);
    slot.size =
        random_.Below(16) == 0 ? random_.Below(40000) : random_.Below(300);
    slot.seed = unsigned(random_.Next());
    slot.block = malloc(slot.size);
    CHECK(slot.block != nullptr);
    Fill(slot.block, slot.size, slot.seed);
  }
  void Steps(int count) {
    for (int i = 0; i < count; ++i) {
      Step();
    }
  }

 private:
  struct Slot {
    void* block = nullptr;
    size_t size = 0;
    unsigned seed = 0;
  };
  static void Release(Slot& slot) {
    CHECK(slot.block == nullptr || IsFilled(slot.block, slot.size, slot.seed));
    free(slot.block);
    slot.block = nullptr;
  }

  Random random_;
  Slot slots_[kBlocks];
};

#endif  // HEAPTALLY_TESTS_SUPPORT_THREADS_H_
