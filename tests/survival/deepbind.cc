// A plugin opened with RTLD_DEEPBIND finds the C library's malloc before ours;
// its blocks are freed and grown by the program. Argument: the plugin.
#include <dlfcn.h>
#include <malloc.h>

#include "tests/support/check.h"

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND);
  CHECK(plugin != nullptr);
  auto* allocate =
      reinterpret_cast<void* (*)(size_t)>(dlsym(plugin, "DeepAllocate"));
  auto* duplicate =
      reinterpret_cast<char* (*)(const char*)>(dlsym(plugin, "DeepDuplicate"));
  auto* churn = reinterpret_cast<void (*)()>(dlsym(plugin, "DeepChurn"));
  for (size_t size = 1; size < 500000; size = size * 3 / 2 + 1) {
    void* block = allocate(size);
    Fill(block, size, 6);
    CHECK(IsFilled(block, size, 6));
    block = realloc(block, size + 5000);
    CHECK(IsFilled(block, size, 6));
    free(block);
    free(allocate(size));
    char* copy = duplicate("text");
    CHECK_EQ(strcmp(copy, "text"), 0);
    free(copy);
    churn();
  }
  CHECK_EQ(dlclose(plugin), 0);
  WriteText(1, "ok\n");
}
