// A C program that keeps 123 blocks of 1000 bytes.
#ifdef EXPECT_ACTIVE
#include <heaptally.h>
#endif
#include <stdlib.h>

static void* kept[123];

__attribute__((noinline)) static void KeepBlocks(void) {
  for (int i = 0; i < 123; ++i) kept[i] = malloc(1000);
}

int main(void) {
  KeepBlocks();
#ifdef EXPECT_ACTIVE
  if (!heaptally_is_active()) return 2;
#endif
  return kept[122] == NULL;
}
