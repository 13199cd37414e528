// Allocation and release in static destructors, thread_local destructors,
// pthread key destructors that run again, atexit and on_exit handlers.
#include <stdio.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/threads.h"

namespace {

int rounds_left = 4;
pthread_key_t key;

void UseTheHeap() {
  Churn churn(7);
  churn.Steps(2000);
  std::map<int, std::string> map;
  for (int i = 0; i < 100; ++i) {
    map[i] = std::string(i, 'x');
  }
}

struct Owner {
  std::vector<std::string> strings{100, std::string(100, 's')};
  ~Owner() {
    strings.clear();
    strings.assign(50, std::string(200, 't'));
    UseTheHeap();
  }
};

struct LastWord {
  ~LastWord() {
    UseTheHeap();
    WriteText(1, "ok\n");
  }
};

LastWord last_word;
Owner static_owner;
thread_local Owner thread_owner;

// Runs after the thread_local destructors, and asks to be run again.
void KeyDestructor(void* block) {
  free(block);
  UseTheHeap();
  if (__atomic_sub_fetch(&rounds_left, 1, __ATOMIC_RELAXED) > 0) {
    CHECK_EQ(pthread_setspecific(key, malloc(64)), 0);
  }
}

void* Body(void*) {
  thread_owner.strings.emplace_back("touched");
  CHECK_EQ(pthread_setspecific(key, malloc(64)), 0);
  return malloc(100);
}

void* owned_by_exit_handlers = nullptr;

void AtExit() {
  UseTheHeap();
  owned_by_exit_handlers = realloc(owned_by_exit_handlers, 1000);
}

void OnExit(int, void* block) {
  UseTheHeap();
  free(block);
}

}  // namespace

int main() {
  CHECK_EQ(pthread_key_create(&key, KeyDestructor), 0);
  for (int i = 0; i < 64; ++i) {
    rounds_left = 3;
    free(JoinThread(StartThread(Body)));
  }
  thread_owner.strings.emplace_back("of the main thread");
  for (int i = 0; i < 100; ++i) {
    CHECK_EQ(atexit(AtExit), 0);
    CHECK_EQ(on_exit(OnExit, malloc(100)), 0);
  }
  CHECK_EQ(pthread_setspecific(key, malloc(64)), 0);
}
