// A program whose frames are known: each call of Mark is reached through
// functions that were inlined, and the comments name the lines of the calls.
// Built by names_test.py with many compilers, linkers and options.
#include <functional>
#include <map>
#include <string>
#include <vector>

#define INLINE inline __attribute__((always_inline))

extern "C" __attribute__((noinline, visibility("hidden"))) void Mark(
    int number) {
  asm volatile("" : : "r"(number) : "memory");
}

namespace deep {

INLINE void Third() {
  Mark(1);  // line: third
  asm volatile("");
}

template <typename Key, typename Value>
INLINE void Second(const std::map<Key, std::vector<Value>>& map) {
  if (map.empty()) {
    Third();  // line: second
  }
}

}  // namespace deep

namespace {

struct Hidden {
  int value;
  INLINE void Call() const {
    deep::Second(std::map<std::string, std::vector<Hidden>>());  // line: call
  }
};

__attribute__((noinline)) void HiddenFunction(int value) {
  Hidden{value}.Call();  // line: hidden
  asm volatile("");
}

template <int kDepth>
INLINE void Descend() {
  if constexpr (kDepth == 0) {
    Mark(2);  // line: bottom
    asm volatile("");
  } else {
    Descend<kDepth - 1>();  // line: descend
  }
}

}  // namespace

static __attribute__((noinline)) int InLambda(int value) {
  auto lambda = [value](int more) __attribute__((noinline)) {
    Mark(3);  // line: lambda
    asm volatile("");
    return value + more;
  };
  return lambda(1);  // line: lambda call
}

__attribute__((noinline)) void Deep() {
  Descend<20>();  // line: deep
  asm volatile("");
}

// Work for the comparison with other symbolizers.
int Work(int count) {
  std::map<std::string, std::function<int(int)>> functions;
  std::vector<Hidden> hidden;
  for (int i = 0; i < count; ++i) {
    hidden.push_back({i});
    functions[std::to_string(i)] = [i, hidden](int x) {
      return static_cast<int>(hidden.size()) + i + x;
    };
  }
  int sum = 0;
  for (const auto& [name, function] : functions) sum += function(InLambda(1));
  return sum;
}

int Enter(int count) {
  HiddenFunction(count);
  Deep();
  return Work(count);
}

#ifndef SUBJECT_IS_A_LIBRARY
int main(int argc, char**) { return Enter(argc) == 0; }
#endif
