// Hands out blocks of whichever malloc its own scope finds first.
#include <cstdlib>
#include <cstring>

extern "C" void* DeepAllocate(size_t size) { return malloc(size); }
extern "C" char* DeepDuplicate(const char* text) { return strdup(text); }
extern "C" void DeepChurn() {
  for (size_t size = 1; size < 100000; size *= 2) {
    void* block = realloc(calloc(1, size), size * 2);
    free(block);
  }
}
