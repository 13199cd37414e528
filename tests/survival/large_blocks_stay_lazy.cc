// Large blocks cost what the program touches of them, also zeroed ones, and a
// block that grows step by step is not copied at every step.
#include "tests/support/memory_use.h"
#include "tests/support/threads.h"

namespace {

constexpr size_t kGiB = size_t{1} << 30;
constexpr size_t kAllowed = size_t{24} << 20;

void ExpectLazy(void* block, size_t before) {
  CHECK(block != nullptr);
  auto* bytes = static_cast<volatile char*>(block);
  for (size_t at = 0; at < 4 * kGiB; at += kGiB) {
    CHECK_EQ(bytes[at], 0);
    bytes[at] = 1;
  }
  CHECK_LE(ResidentBytes(), before + kAllowed);
  free(block);
}

void Grow() {
  uint64_t start = Milliseconds();
  char* block = nullptr;
  for (size_t size = 1 << 20; size < size_t{200} << 20; size += 1 << 20) {
    block = static_cast<char*>(realloc(block, size));
    block[size - 1] = 1;
  }
  free(block);
  CHECK_LE(Milliseconds() - start, 20000);
}

}  // namespace

int main() {
  size_t before = ResidentBytes();
  for (int i = 0; i < 3; ++i) {
    ExpectLazy(calloc(4, kGiB), before);
  }
  void* block = malloc(4 * kGiB);
  CHECK(block != nullptr);
  CHECK_LE(ResidentBytes(), before + kAllowed);
  free(block);
  Grow();
  WriteText(1, "ok\n");
}
