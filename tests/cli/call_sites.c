/* Allocates three blocks of 100 bytes at each of forty call sites, which all
 * stay, and nothing else. */
#include <stdlib.h>

#define FIVE(x) x x x x x
#define FORTY(x) FIVE(x) FIVE(x) FIVE(x) FIVE(x) FIVE(x) FIVE(x) FIVE(x) FIVE(x)

static void* volatile held;

int main(void) {
  for (volatile int round = 0; round < 3; ++round) {
    FORTY(held = malloc(100);)
  }
  return 0;
}
