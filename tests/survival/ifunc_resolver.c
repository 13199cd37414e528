/* A resolver of an indirect function that allocates while the loader is still
   relocating: TLS and constructors are not there yet. Built with -z lazy. */
#include "tests/support/check.h"

static void* block;

static int Implementation(void) { return 42; }

typedef int (*Function)(void);

__attribute__((used)) static Function Resolve(void) {
  block = malloc(100);
  Fill(block, 100, 1);
  void* other = calloc(10, 10);
  other = realloc(other, 1000);
  free(other);
  return Implementation;
}

int Answer(void) __attribute__((ifunc("Resolve")));

int main(void) {
  CHECK_EQ(Answer(), 42);
  CHECK(block != NULL);
  CHECK(IsFilled(block, 100, 1));
  free(block);
  WriteText(1, "ok\n");
  return 0;
}
