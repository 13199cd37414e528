// Holds a million blocks of 48 bytes and frees them, and says in how many pages
// they begin: what own_memory_test.py measures heaptally's own memory by.
//
// Prints a line at each stage and waits for one: "before"; "held PAGES
// MAP_PAGES REGIONS", where a page of heaptally's map serves 512 pages and a
// region is 1 GiB; "freed".
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>

#include "tests/support/check.h"

namespace {

constexpr size_t kBlocks = 1000000;
constexpr size_t kSize = 48;
constexpr uintptr_t kAddresses = uintptr_t{1} << 47;

// Lazily backed; not part of the heap.
void* Map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED);
  return memory;
}

// Counts the units of 2^shift bytes in which a block begins.
size_t UnitsInUse(void* const* blocks, unsigned shift) {
  const size_t bytes = kAddresses >> shift;
  auto* seen = static_cast<bool*>(Map(bytes));
  size_t count = 0;
  for (size_t i = 0; i < kBlocks; ++i) {
    bool& unit = seen[reinterpret_cast<uintptr_t>(blocks[i]) >> shift];
    count += unit ? 0 : 1;
    unit = true;
  }
  CHECK_EQ(munmap(seen, bytes), 0);
  return count;
}

void WaitForLine() {
  char byte = 0;
  while (read(0, &byte, 1) == 1 && byte != '\n') {
  }
}

}  // namespace

int main() {
  auto** blocks = static_cast<void**>(Map(kBlocks * sizeof(void*)));
  puts("before");
  fflush(stdout);
  WaitForLine();
  for (size_t i = 0; i < kBlocks; ++i) {
    blocks[i] = Keep(malloc(kSize));
    CHECK(blocks[i] != nullptr);
  }
  printf("held %zu %zu %zu\n", UnitsInUse(blocks, 12), UnitsInUse(blocks, 21),
         UnitsInUse(blocks, 30));
  fflush(stdout);
  WaitForLine();
  for (size_t i = 0; i < kBlocks; ++i) {
    free(blocks[i]);
  }
  puts("freed");
  fflush(stdout);
  WaitForLine();
}
