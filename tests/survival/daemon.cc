// A process that forks away, starts a session, closes every descriptor and
// goes on allocating; it answers through the exit status of its child.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/threads.h"

namespace {

void CloseEverything() {
  for (int fd = 0; fd < 1024; ++fd) {
    close(fd);
  }
}

void* Allocate(void*) {
  Churn churn(4);
  churn.Steps(20000);
  return nullptr;
}

}  // namespace

int main() {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(setsid() > 0);
    CloseEverything();
    Allocate(nullptr);
    JoinThread(StartThread(Allocate));
    // The first descriptor that the program opens must be 0: none is ours.
    _exit(open("/dev/null", O_RDWR) == 0 ? 23 : 1);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(WEXITSTATUS(status), 23);
  WriteText(1, "ok\n");
}
