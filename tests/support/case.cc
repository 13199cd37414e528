// Runs the cases of a program: forks for each, so that a crash or a failed
// check of one says its name and spares the others.
#include "tests/support/case.h"

#include <signal.h>
#include <sys/wait.h>

namespace {

const Case* first_case = nullptr;

constexpr unsigned kSecondsForOneCase = 60;

const char* Verdict(int status) {
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status) == SIGALRM ? "HUNG    " : "CRASHED ";
  }
  return WEXITSTATUS(status) == 0 ? "ok      " : "FAILED  ";
}

bool RunsAlone(const Case& one) {
  pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsForOneCase);
    one.body();
    _exit(0);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  WriteText(1, Verdict(status));
  WriteText(1, one.name);
  WriteText(1, "\n");
  return status == 0;
}

void RunNamed(const char* name) {
  for (const Case* one = first_case; one != nullptr; one = one->next) {
    if (strcmp(one->name, name) == 0) {
      one->body();
    }
  }
}

}  // namespace

Case::Case(const char* case_name, void (*case_body)())
    : name(case_name), body(case_body), next(first_case) {
  first_case = this;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    RunNamed(argv[i]);
  }
  if (argc > 1) {
    return 0;
  }
  bool all_hold = true;
  for (const Case* one = first_case; one != nullptr; one = one->next) {
    all_hold = RunsAlone(*one) && all_hold;
  }
  WriteText(1, all_hold ? "all cases hold\n" : "some cases do not hold\n");
  return all_hold ? 0 : CHECK_FAILED_STATUS;
}
