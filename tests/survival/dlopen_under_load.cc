// Libraries are loaded and unloaded by two threads while others allocate,
// throw, walk stacks and start threads. Arguments: the two plugins.
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <stdexcept>

#include "tests/support/threads.h"

namespace {

constexpr uint64_t kDuration = 1500;

const char* plugin_path;
const char* plain_plugin_path;
std::atomic<bool> stop{false};

void* LoadPlain(void* number) {
  for (int i = int(reinterpret_cast<intptr_t>(number)); !stop; ++i) {
    void* library = dlopen(plain_plugin_path, RTLD_NOW);
    CHECK(library != nullptr);
    auto* work = reinterpret_cast<void* (*)(int)>(dlsym(library, "PlainWork"));
    void* block = work(i);
    CHECK(block != nullptr);
    CHECK_EQ(dlclose(library), 0);
    free(block);
    CHECK(dlopen("/nonexistent/library.so", RTLD_NOW) == nullptr);
    CHECK(dlerror() != nullptr);
  }
  return nullptr;
}

void* UsePlugin(void*) {
  void* library = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
  CHECK(library != nullptr);
  auto* work = reinterpret_cast<char* (*)(int)>(dlsym(library, "PluginWork"));
  delete[] work(5);
  CHECK_EQ(dlclose(library), 0);
  return nullptr;
}

int OneObject(dl_phdr_info*, size_t, void*) {
  free(malloc(300));
  return 0;
}

void* Allocate(void* number) {
  Churn churn(reinterpret_cast<uintptr_t>(number));
  while (!stop) {
    churn.Steps(200);
    dl_iterate_phdr(OneObject, nullptr);
    void* frames[30];
    CHECK(backtrace(frames, 30) > 1);
    try {
      throw std::runtime_error("under load");
    } catch (const std::exception& error) {
      free(strdup(error.what()));
    }
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQ(argc, 3);
  plugin_path = argv[1];
  plain_plugin_path = argv[2];
  ThreadGroup<2> loading(LoadPlain);
  ThreadGroup<2> allocating(Allocate);
  uint64_t end = Milliseconds() + kDuration;
  while (Milliseconds() < end) {
    JoinThread(StartThread(UsePlugin));
  }
  stop = true;
  loading.Join();
  allocating.Join();
  WriteText(1, "ok\n");
}
