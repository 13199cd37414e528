// Faults that a handler turns into exceptions, as language runtimes do, with
// allocation on the way there and back.
#include <signal.h>

#include <stdexcept>
#include <string>

#include "tests/support/threads.h"

namespace {

void Handler(int) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGSEGV);
  sigprocmask(SIG_UNBLOCK, &mask, nullptr);
  throw std::runtime_error(std::string(200, 'f'));
}

__attribute__((noinline)) int Fault(int depth, volatile int* where) {
  Churn* churn = depth % 10 == 0 ? new Churn(uint64_t(depth) + 1) : nullptr;
  if (churn != nullptr) {
    churn->Steps(5);
    delete churn;
  }
  return depth == 0 ? *where : Fault(depth - 1, where) + 1;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_handler = Handler;
  CHECK_EQ(sigaction(SIGSEGV, &action, nullptr), 0);
  for (int i = 0; i < 300; ++i) {
    bool caught = false;
    try {
      Fault(i % 40, static_cast<volatile int*>(Keep(nullptr)));
    } catch (const std::runtime_error& error) {
      caught = strlen(error.what()) == 200;
    }
    CHECK(caught);
  }
  WriteText(1, "ok\n");
}
