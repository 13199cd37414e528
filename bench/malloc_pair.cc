// One malloc and free of 64 bytes, N times: what `bench/costs.py` counts the
// instructions of. Usage: malloc_pair N
#include <cstdlib>

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1000000;
  for (long i = 0; i < n; ++i) {
    void* p = std::malloc(64);
    asm volatile("" : : "r"(p) : "memory");
    std::free(p);
  }
}
