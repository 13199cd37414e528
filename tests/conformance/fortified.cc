// A program built with -D_FORTIFY_SOURCE that writes what malloc_usable_size
// allows, as systemd and RocksDB do.
#include <malloc.h>
#include <stdio.h>

#include "tests/support/check.h"

int main() {
  for (size_t size = 1; size < 100000; size += 1 + size / 5) {
    void* block = Keep(malloc(size));
    size_t usable = malloc_usable_size(block);
    memset(block, 'x', usable);
    static_cast<char*>(block)[usable - 1] = '\0';
    CHECK_EQ(strlen(static_cast<char*>(block)), usable - 1);
    snprintf(static_cast<char*>(block), usable, "%zu", size);
    free(block);
  }
  puts("ok");
}
