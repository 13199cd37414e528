// Children that fork in their turn, from threads, with blocks of the parent
// freed in the grandchild.
#include <sys/wait.h>

#include "tests/support/threads.h"

namespace {

void ForkDown(int depth, Churn& churn) {
  churn.Steps(50);
  if (depth == 0) {
    return;
  }
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    ForkDown(depth - 1, churn);
    churn.Steps(500);
    _exit(0);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
  churn.Steps(50);
}

void* Body(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  for (int i = 0; i < 12; ++i) {
    ForkDown(5, churn);
  }
  return nullptr;
}

}  // namespace

int main() {
  ThreadGroup<4> threads(Body);
  threads.Join();
  WriteText(1, "ok\n");
}
