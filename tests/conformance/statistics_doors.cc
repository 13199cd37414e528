// malloc_trim, mallinfo, mallinfo2, malloc_info, malloc_stats, mallopt and
// cfree: doors that must not crash, and must not answer nonsense.
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>

#include "tests/support/case.h"

namespace {

constexpr size_t kLarge = size_t{24} << 20;

CASE(MallocTrim_AnswersZeroOrOne) {
  free(Keep(malloc(1 << 20)));
  for (size_t pad : {size_t{0}, size_t{1} << 20, SIZE_MAX / 2}) {
    int answer = malloc_trim(pad);
    CHECK(answer == 0 || answer == 1);
  }
}

CASE(Mallinfo2_SeesWhatIsAllocated) {
  void* blocks[100];
  struct mallinfo2 before = mallinfo2();
  for (void*& block : blocks) {
    block = malloc(10000);
  }
  void* large = malloc(kLarge);
  struct mallinfo2 after = mallinfo2();
  CHECK_GE(after.uordblks + after.hblkhd,
           before.uordblks + before.hblkhd + 1000000 + kLarge);
  CHECK_LE(after.uordblks + after.hblkhd,
           before.uordblks + before.hblkhd + 2 * (1000000 + kLarge));
  for (void* block : blocks) {
    free(block);
  }
  free(large);
  struct mallinfo2 end = mallinfo2();
  CHECK_LE(end.uordblks + end.hblkhd, before.uordblks + before.hblkhd + 20000);
}

CASE(Mallinfo_AnswersInInts) {
  struct mallinfo before = mallinfo();
  void* block = Keep(malloc(100000));
  struct mallinfo after = mallinfo();
  CHECK(after.uordblks >= before.uordblks + 100000);
  free(block);
}

CASE(MallocInfo_WritesXml) {
  char text[1 << 16] = {};
  FILE* file = fmemopen(text, sizeof text - 1, "w");
  CHECK_EQ(malloc_info(0, file), 0);
  fclose(file);
  CHECK_EQ(strncmp(text, "<malloc", 7), 0);
  CHECK(strstr(text, "</malloc>") != nullptr);
}

CASE(MallocInfo_RefusesUnknownOptions) {
  char text[1 << 12] = {};
  FILE* file = fmemopen(text, sizeof text - 1, "w");
  CHECK_EQ(malloc_info(KeepSize(1), file), EINVAL);
  fclose(file);
}

CASE(Mallopt_TakesWhatProgramsSet) {
  CHECK_EQ(mallopt(M_TRIM_THRESHOLD, 1 << 20), 1);
  CHECK_EQ(mallopt(M_MMAP_THRESHOLD, 1 << 20), 1);
  CHECK_EQ(mallopt(M_ARENA_MAX, 2), 1);
  free(Keep(malloc(100)));
}

CASE(MallocStats_WritesToStandardErrorOnly) { malloc_stats(); }

CASE(Cfree_FreesWhereItIsThere) {
  auto* cfree = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "cfree"));
  if (cfree == nullptr) {
    CHECK(!UnderHeaptally());
    return;
  }
  for (int i = 0; i < 1000; ++i) {
    cfree(Keep(malloc(100000)));
  }
  cfree(nullptr);
  CHECK_LE(mallinfo2().uordblks, 20000000);
}

}  // namespace
