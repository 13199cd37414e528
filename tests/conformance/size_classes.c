/* Prints the usable size of every request up to 64 KiB and of a sample above,
   for malloc and for the other doors; the lines of two allocators with the
   same size classes are equal. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static void Print(const char* door, size_t alignment, size_t request,
                  void* block) {
  printf("%s %zu %zu %zu\n", door, alignment, request,
         malloc_usable_size(block));
  free(block);
}

static void PrintAligned(size_t alignment, size_t request) {
  void* block = NULL;
  Print("memalign", alignment, request, memalign(alignment, request));
  Print("aligned_alloc", alignment, request, aligned_alloc(alignment, request));
  if (posix_memalign(&block, alignment, request) == 0) {
    Print("posix_memalign", alignment, request, block);
  }
}

int main(void) {
  for (size_t request = 0; request <= 65536; ++request) {
    Print("malloc", 0, request, malloc(request));
  }
  for (size_t request = 0; request <= 65536; request += 1 + request / 20) {
    Print("calloc", 0, request, calloc(request, 1));
    Print("realloc", 0, request, realloc(NULL, request));
    Print("shrunk", 0, request + 1, realloc(malloc(70000), request + 1));
    Print("grown", 0, request, realloc(malloc(1), request + 1));
  }
  for (size_t request = 65537; request < ((size_t)1 << 28);
       request += request / 37) {
    Print("malloc", 0, request, malloc(request));
  }
  for (size_t alignment = 8; alignment <= ((size_t)1 << 20); alignment *= 2) {
    for (size_t request = 1; request < 300000; request += 1 + request / 4) {
      PrintAligned(alignment, request);
    }
  }
  return 0;
}
