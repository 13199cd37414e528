// Children that share the parent's memory: vfork whose child allocates before
// it executes, posix_spawn, system and popen, with threads that allocate.
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include "tests/support/threads.h"

extern char** environ;

namespace {

std::atomic<bool> stop{false};

void* Allocate(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  while (!stop) {
    churn.Steps(100);
  }
  return nullptr;
}

void ExpectSuccess(pid_t child) {
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

// volatile: the child writes it in the parent's memory.
void* volatile from_child = nullptr;

void VforkThatAllocates() {
  pid_t child = vfork();
  if (child == 0) {
    from_child = malloc(100);
    memset(from_child, 1, 100);
    free(malloc(5000));
    execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  ExpectSuccess(child);
  free(from_child);
}

void VforkThatLeaves() {
  pid_t child = vfork();
  if (child == 0) {
    _exit(0);
  }
  ExpectSuccess(child);
}

void Spawn() {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
  char program[] = "/bin/echo";
  char* arguments[] = {program, program, nullptr};
  pid_t child = 0;
  CHECK_EQ(posix_spawn(&child, program, &actions, nullptr, arguments, environ),
           0);
  posix_spawn_file_actions_destroy(&actions);
  ExpectSuccess(child);
}

void Popen() {
  FILE* pipe = popen("echo heaptally", "r");
  char line[100] = {};
  CHECK(fgets(line, sizeof line, pipe) != nullptr);
  CHECK_EQ(strcmp(line, "heaptally\n"), 0);
  CHECK_EQ(pclose(pipe), 0);
}

}  // namespace

int main() {
  ThreadGroup<2> threads(Allocate);
  Churn churn(9);
  for (int i = 0; i < 25; ++i) {
    VforkThatAllocates();
    VforkThatLeaves();
    Spawn();
    Popen();
    CHECK_EQ(system("true"), 0);
    churn.Steps(200);
  }
  stop = true;
  threads.Join();
  WriteText(1, "ok\n");
}
