// exit() in one thread while others allocate, through static destructors and
// exit handlers; the threads never stop.
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/threads.h"

namespace {

std::vector<std::string> names(1000, std::string(100, 'n'));

struct SlowEnd {
  ~SlowEnd() {
    Churn churn(2);
    for (int i = 0; i < 50; ++i) {
      churn.Steps(100);
      usleep(1000);
    }
    WriteText(1, "ok\n");
  }
};

SlowEnd slow_end;

void* Allocate(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  while (true) {
    churn.Steps(100);
  }
  return nullptr;
}

}  // namespace

int main() {
  ThreadGroup<4> threads(Allocate);
  usleep(50000);
  atexit([] { free(malloc(100)); });
  exit(4);
}
