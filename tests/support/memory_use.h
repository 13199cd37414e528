// How much memory this process holds; reads /proc without allocating.
#ifndef HEAPTALLY_TESTS_SUPPORT_MEMORY_USE_H_
#define HEAPTALLY_TESTS_SUPPORT_MEMORY_USE_H_

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/check.h"

inline size_t ResidentBytes() {
  char text[200] = {};
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  CHECK(read(fd, text, sizeof text - 1) > 0);
  close(fd);
  const char* resident = strchr(text, ' ');
  return strtoull(resident, nullptr, 10) * size_t(getpagesize());
}

#endif  // HEAPTALLY_TESTS_SUPPORT_MEMORY_USE_H_
