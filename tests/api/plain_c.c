/* The interface from C99. Exit status 0: it does what its header says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integration/api/heaptally.h"

static int Disabled(void) {
  struct heaptally_counters counters;
  void* frames[4];
  memset(&counters, 1, sizeof(counters));
  return heaptally_is_active() == 0 &&
                 heaptally_snapshot("/nowhere", "x") == -1 && errno == ENOSYS &&
                 heaptally_get_counters(&counters) == -1 &&
                 counters.current.blocks == 0 && counters.epoch == 0 &&
                 heaptally_set_mode(HEAPTALLY_ALL, 0) == -1 &&
                 heaptally_reset_peak() == -1 &&
                 heaptally_traceback_of(frames, frames, 4) == 0
             ? 0
             : 1;
}

int main(int argc, char** argv) {
  struct heaptally_counters counters;
  void* block;
  (void)argv;
  if (argc > 1) return Disabled();
  if (heaptally_is_active() != 1) return 2;
  block = malloc(100);
  if (heaptally_get_counters(&counters) != 0) return 3;
  if (counters.current.blocks == 0 || counters.mode != HEAPTALLY_COUNTERS) {
    return 4;
  }
  if (heaptally_traceback_of(block, NULL, 0) != 0) return 5;
  free(block);
  return 0;
}
