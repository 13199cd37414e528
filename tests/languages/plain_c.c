/* A C program that never saw a C++ library: every door, threads, and a look at
   what is mapped. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/support/check.h"

static void UseEveryDoor(size_t size) {
  void* blocks[12];
  int count = 0;
  blocks[count++] = malloc(size);
  blocks[count++] = calloc(size, 3);
  blocks[count++] = realloc(malloc(10), size + 1);
  blocks[count++] = reallocarray(NULL, size, 2);
  blocks[count++] = aligned_alloc(64, size);
  blocks[count++] = memalign(256, size);
  CHECK_EQ(posix_memalign(&blocks[count++], 32, size), 0);
  blocks[count++] = valloc(size);
  blocks[count++] = pvalloc(size);
  for (int i = 0; i < count; ++i) {
    CHECK(blocks[i] != NULL);
    CHECK_GE(malloc_usable_size(blocks[i]), size);
    Fill(blocks[i], size, (unsigned)i);
  }
  for (int i = 0; i < count; ++i) {
    CHECK(IsFilled(blocks[i], size, (unsigned)i));
    free(blocks[i]);
  }
}

static void* Body(void* unused) {
  for (size_t size = 0; size < 200000; size += 1 + size / 3) {
    UseEveryDoor(size);
  }
  return unused;
}

static void ExpectNoCxxLibrary(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[1000];
  while (fgets(line, sizeof line, maps) != NULL) {
    CHECK(strstr(line, "libstdc++") == NULL && strstr(line, "libc++") == NULL);
  }
  fclose(maps);
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    CHECK_EQ(pthread_create(&threads[i], NULL, Body, NULL), 0);
  }
  Body(NULL);
  for (int i = 0; i < 4; ++i) {
    CHECK_EQ(pthread_join(threads[i], NULL), 0);
  }
  ExpectNoCxxLibrary();
  puts("ok");
  return 0;
}
