#!/usr/bin/env bash
# cc1plus and the whole g++ driver on a file heavy with templates.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >"$work/heavy.cc" <<'SOURCE'
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
template <int N> struct Fold {
  template <class... T> static auto Of(std::tuple<T...> t) {
    return Fold<N - 1>::Of(std::tuple_cat(t, std::make_tuple(N)));
  }
};
template <> struct Fold<0> {
  template <class... T> static auto Of(std::tuple<T...> t) {
    return std::apply([](auto... x) { return (0 + ... + x); }, t);
  }
};
using Value = std::variant<int, double, std::string, std::vector<int>>;
std::string Name(const Value& value) {
  return std::visit([](const auto& v) -> std::string {
    using T = std::decay_t<decltype(v)>;
    if constexpr (std::is_same_v<T, std::string>) return v;
    else if constexpr (std::is_arithmetic_v<T>) return std::to_string(v);
    else return std::to_string(std::accumulate(v.begin(), v.end(), 0));
  }, value);
}
int main() {
  std::map<std::string, std::function<int(int)>> functions;
  std::unordered_map<int, std::shared_ptr<Value>> values;
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i) {
    values[i] = std::make_shared<Value>(static_cast<int>(random()));
    functions[Name(*values[i])] = [i](int x) { return x * i; };
  }
  std::regex word("([a-z]+)-([0-9]{2,4})");
  std::smatch match;
  std::string text = "heap-2024";
  std::cout << std::regex_match(text, match, word) << functions.size()
            << Fold<40>::Of(std::tuple<>()) << '\n';
}
SOURCE
cd "$work"
g++ -std=c++20 -E heavy.cc -o heavy.ii
cc1plus=$(g++ -print-prog-name=cc1plus)
options=(-quiet -std=c++20 -O1 -frandom-seed=heavy heavy.ii)

"$cc1plus" "${options[@]}" -o plain.s
under cc1plus "$cc1plus" "${options[@]}" -o under.s
same "assembly of cc1plus" plain.s under.s
check_books cc1plus.heaptally 500000

g++ -std=c++20 -frandom-seed=heavy -c heavy.cc -o plain.o
timeout 240 "$heaptally" run --follow --at-exit "$work/gxx-%p.heaptally" -- \
  g++ -std=c++20 -frandom-seed=heavy -c heavy.cc -o under.o
same "object code of g++" plain.o under.o
files=(gxx-*.heaptally)
((${#files[@]} >= 3)) || fail "g++, cc1plus and as: only ${files[*]}"
for file in "${files[@]}"; do check_books "$file" 100; done
