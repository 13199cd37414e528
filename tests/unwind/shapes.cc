#include "tests/unwind/shapes.h"

#include <alloca.h>

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace heaptally::unwind::HEAPTALLY_VARIANT {
namespace {

// Keeps `p` and what it points to alive.
void Use(void* p) { asm volatile("" : : "r"(p) : "memory"); }
NOINLINE int Opaque(int n) {
  asm volatile("" : "+r"(n));
  return n;
}

NOINLINE void Plain(Callback callback, int amount) {
  int local[4] = {amount};
  callback();
  Use(local);
}

NOINLINE int Recursion(Callback callback, int amount) {
  if (amount <= 0) {
    callback();
    return 1;
  }
  const int n = Recursion(callback, amount - 1);
  callback();
  return n + Opaque(amount);
}

NOINLINE void Alloca(Callback callback, int amount) {
  for (int i = 0; i < 4; ++i) {
    void* p = alloca(static_cast<size_t>(Opaque(amount * 37 + 1)));
    Use(p);
    callback();
  }
}

NOINLINE void VariableLength(Callback callback, int amount) {
  for (int i = 0; i < 3; ++i) {
    char* p = static_cast<char*>(alloca(static_cast<size_t>(16 * amount + 16)));
    Use(p);
    Plain(callback, i);
  }
}

// More aligned than the ABI: the compiler realigns the stack.
NOINLINE void OverAligned(Callback callback, int amount) {
  alignas(64) char buffer[128];
  std::memset(buffer, amount, sizeof(buffer));
  Use(buffer);
  callback();
  Use(buffer);
}

NOINLINE void OverAlignedAlloca(Callback callback, int amount) {
  alignas(64) char buffer[64];
  char* p = static_cast<char*>(alloca(static_cast<size_t>(amount * 16 + 8)));
  Use(buffer);
  Use(p);
  Recursion(callback, amount);
  Use(buffer);
}

NOINLINE void BigFrame(Callback callback, int) {
  char buffer[200000];
  Use(buffer);
  callback();
  Use(buffer);
}

NOINLINE void ManyArguments(Callback callback, int a, int b, int c, int d,
                            int e, int f, int g, int h, ...) {
  va_list list;
  va_start(list, h);
  int sum = a + b + c + d + e + f + g + h + va_arg(list, int);
  va_end(list);
  Use(&sum);
  callback();
}

void VariadicArguments(Callback callback, int n) {
  ManyArguments(callback, n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.0, "eleven");
  callback();
}

struct CallsBack {
  Callback callback;
  ~CallsBack() { callback(); }
};

NOINLINE void Throws(Callback callback, int amount) {
  CallsBack guard{callback};
  if (amount > 0) {
    Throws(callback, amount - 1);
  } else {
    throw std::string("thrown");
  }
}

NOINLINE void CatchAndDestroy(Callback callback, int amount) {
  try {
    CallsBack guard{callback};
    Throws(callback, amount);
  } catch (const std::string& s) {
    callback();
    try {
      throw s.size();
    } catch (size_t) {
      callback();
    }
  }
  callback();
}

NOINLINE void Rethrow(Callback callback, int amount) {
  try {
    try {
      Throws(callback, amount);
    } catch (...) {
      callback();
      throw;
    }
  } catch (const std::string&) {
    callback();
  }
}

// The call is the last instruction: the return address is in what follows.
[[noreturn]] NOINLINE void NeverReturns(Callback callback) {
  callback();
  throw 1;
}

NOINLINE void CallsNoreturn(Callback callback, int) {
  try {
    NeverReturns(callback);
  } catch (int) {
  }
}

Callback current;

NOINLINE int CompareInts(const void* a, const void* b) {
  current();
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

void ThroughQsort(Callback callback, int amount) {
  current = callback;
  std::vector<int> v;
  for (int i = 0; i < amount + 2; ++i) v.push_back(i * 7 % 5);
  std::qsort(v.data(), v.size(), sizeof(int), CompareInts);
}

void ThroughTemplates(Callback callback, int amount) {
  std::vector<int> v(static_cast<size_t>(amount + 2), 3);
  std::function<bool(int, int)> less = [&](int a, int b) {
    callback();
    return a < b;
  };
  std::sort(v.begin(), v.end(), less);
}

struct Base {
  virtual ~Base() = default;
  virtual void Visit(Callback callback, int amount) = 0;
};
struct First : Base {
  void Visit(Callback callback, int amount) override {
    char local[24];
    Use(local);
    if (amount > 0) return Visit(callback, amount - 1);  // a tail call
    callback();
  }
};
struct Second : virtual First {
  void Visit(Callback callback, int amount) override {
    First::Visit(callback, amount);
    callback();
  }
};

void ThroughVirtuals(Callback callback, int amount) {
  Second second;
  Base* base = &second;
  asm volatile("" : "+r"(base));
  base->Visit(callback, amount);
}

// Keeps every callee-saved register busy, rbp too where it is free.
NOINLINE long Pressure(Callback callback, int n) {
  long a = Opaque(n), b = Opaque(n + 1), c = Opaque(n + 2), d = Opaque(n + 3);
  long e = Opaque(n + 4), f = Opaque(n + 5), g = Opaque(n + 6);
  for (int i = 0; i < 3; ++i) {
    callback();
    a += b * i, b ^= c, c += d, d ^= e, e += f, f ^= g, g += a;
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g;
}
void RegisterPressure(Callback callback, int n) {
  long x = Pressure(callback, n);
  Use(&x);
}

void Recurse(Callback callback, int n) { Recursion(callback, n); }

constexpr Shape kShapes[] = {
    {"plain", Plain},
    {"recursion", Recurse},
    {"alloca", Alloca},
    {"variable length", VariableLength},
    {"over-aligned", OverAligned},
    {"over-aligned alloca", OverAlignedAlloca},
    {"big frame", BigFrame},
    {"variadic arguments", VariadicArguments},
    {"catch and destroy", CatchAndDestroy},
    {"rethrow", Rethrow},
    {"noreturn call last", CallsNoreturn},
    {"qsort", ThroughQsort},
    {"templates", ThroughTemplates},
    {"virtuals", ThroughVirtuals},
    {"register pressure", RegisterPressure},
};

}  // namespace

ShapeSet Shapes();
ShapeSet Shapes() {
#define HEAPTALLY_STRING2(x) #x
#define HEAPTALLY_STRING(x) HEAPTALLY_STRING2(x)
  return {HEAPTALLY_STRING(HEAPTALLY_VARIANT), kShapes, std::size(kShapes)};
}

}  // namespace heaptally::unwind::HEAPTALLY_VARIANT
