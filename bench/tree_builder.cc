// A program that does nothing but allocate: builds binary trees by recursion,
// each node a block, and takes them down again; a long-lived tree stays beside.
// Call stacks change with every block. Usage: tree_builder [DEPTH [ROUNDS]]
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

struct Node {
  std::unique_ptr<Node> left;
  std::unique_ptr<Node> right;
};

std::unique_ptr<Node> Build(int depth) {
  auto node = std::make_unique<Node>();
  if (depth > 0) {
    node->left = Build(depth - 1);
    node->right = Build(depth - 1);
  }
  return node;
}

long Count(const Node* node) {
  return node == nullptr
             ? 0
             : 1 + Count(node->left.get()) + Count(node->right.get());
}

}  // namespace

int main(int argc, char** argv) {
  const int depth = argc > 1 ? std::atoi(argv[1]) : 18;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
  const auto long_lived = Build(depth);
  long nodes = 0;
  for (int i = 0; i < rounds; ++i) nodes += Count(Build(depth).get());
  std::printf("%ld nodes\n", nodes + Count(long_lived.get()));
}
