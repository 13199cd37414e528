// The program executes itself under limits that hold from its first
// instruction: little address space, or a stack without limit. The argument
// says which; a second one marks the second life.
#include <sys/resource.h>

#include <stdexcept>

#include "tests/support/threads.h"

namespace {

constexpr size_t kAddressSpace = size_t{160} << 20;
constexpr size_t kMustBeFree = size_t{64} << 20;

void* Body(void*) {
  Churn churn(1);
  churn.Steps(3000);
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception&) {
  }
  return nullptr;
}

void LiveUnderTheLimit(bool little_space) {
  Body(nullptr);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstacksize(&attributes, 1 << 20), 0);
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, &attributes, Body, nullptr), 0);
    JoinThread(thread);
  }
  if (little_space) {
    void* block = malloc(kMustBeFree);
    CHECK(block != nullptr);
    memset(block, 1, kMustBeFree);
    free(block);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool little_space = strcmp(argv[1], "little_address_space") == 0;
  if (argc == 2) {
    const int kind = little_space ? RLIMIT_AS : RLIMIT_STACK;
    rlimit limit = {little_space ? kAddressSpace : RLIM_INFINITY,
                    RLIM_INFINITY};
    CHECK_EQ(setrlimit(kind, &limit), 0);
    execl("/proc/self/exe", argv[0], argv[1], "again", nullptr);
    return 1;
  }
  LiveUnderTheLimit(little_space);
  WriteText(1, "ok\n");
}
