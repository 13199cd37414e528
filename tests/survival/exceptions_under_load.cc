// Threads throw through deep stacks and allocate; bad_alloc is among what is
// thrown, and exceptions travel between threads.
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "tests/support/threads.h"

namespace {

struct Holder {
  explicit Holder(size_t size) : block(malloc(size)) {}
  ~Holder() {
    free(block);
    CHECK(std::uncaught_exceptions() <= 1);
  }
  void* block;
};

__attribute__((noinline)) void Descend(int depth, size_t kind) {
  Holder holder(size_t(depth) * 10);
  if (depth == 0) {
    if (kind == 0) throw std::runtime_error(std::string(500, 'x'));
    if (kind == 1) Keep(operator new(KeepSize(SIZE_MAX / 2)));
    throw std::string(100, 'y');
  }
  Descend(depth - 1, kind);
  __asm__ volatile("");
}

std::exception_ptr Caught(int depth, size_t kind) {
  try {
    Descend(depth, kind);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

void* Body(void* number) {
  Random random(reinterpret_cast<uintptr_t>(number));
  Churn churn(random.Next());
  uint64_t end = Milliseconds() + 1000;
  while (Milliseconds() < end) {
    size_t kind = random.Below(3);
    std::exception_ptr caught = Caught(int(random.Below(60)), kind);
    CHECK(caught != nullptr);
    try {
      std::rethrow_exception(caught);
    } catch (const std::bad_alloc&) {
      CHECK_EQ(kind, 1);
    } catch (const std::exception&) {
      CHECK_EQ(kind, 0);
    } catch (const std::string&) {
      CHECK_EQ(kind, 2);
    }
    CHECK_EQ(std::uncaught_exceptions(), 0);
    churn.Steps(20);
  }
  return nullptr;
}

}  // namespace

int main() {
  ThreadGroup<4> threads(Body);
  threads.Join();
  WriteText(1, "ok\n");
}
