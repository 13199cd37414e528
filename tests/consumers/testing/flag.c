/* Exits with 0 if heaptally is its allocator, else with 3. */
#include <heaptally.h>
#include <stdlib.h>

int main(void) {
  void* volatile block = malloc(10);
  free(block);
  return heaptally_is_active() ? 0 : 3;
}
