// Holds N live blocks from M call sites and waits for the end of its input: a
// process to take large snapshots of. Usage: many_blocks [BLOCKS [SIZE]]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

// A call path of its own for each value of the bits of `path`.
__attribute__((noinline)) void* AllocateOn(unsigned path, int bits,
                                           size_t size) {
  void* p;
  if (bits == 0) {
    p = std::malloc(size);
    std::memset(p, 1, size);
  } else if (path & 1) {
    p = AllocateOn(path >> 1, bits - 1, size);
  } else {
    p = AllocateOn(path >> 1, bits - 1, size);
    asm volatile("");
  }
  asm volatile("" : "+r"(p));
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t blocks = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000000;
  const size_t size = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 48;
  std::vector<void*> held(blocks);
  for (size_t i = 0; i < blocks; ++i) {
    held[i] = AllocateOn(static_cast<unsigned>(i * 2654435761u), 14, size);
  }
  std::printf("ready\n");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  for (void* p : held) std::free(p);
}
