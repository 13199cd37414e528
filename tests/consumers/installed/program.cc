// A C++ program that keeps 123 blocks of 1000 bytes.
#ifdef EXPECT_ACTIVE
#include <heaptally.h>
#endif
#include <array>
#include <memory>
#include <vector>

namespace {

using Block = std::array<char, 1000>;
std::vector<std::unique_ptr<Block>>* kept;

[[gnu::noinline]] void KeepBlocks() {
  for (int i = 0; i < 123; ++i) kept->push_back(std::make_unique<Block>());
}

}  // namespace

int main() {
  kept = new std::vector<std::unique_ptr<Block>>;
  kept->reserve(123);
  KeepBlocks();
#ifdef EXPECT_ACTIVE
  if (!heaptally_is_active()) return 2;
#endif
  return kept->size() == 123 ? 0 : 1;
}
