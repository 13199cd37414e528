// Functions of many shapes that call back from their innermost frame. The same
// source is compiled several times, with and without frame pointers and at
// several optimisation levels, each into a namespace of its own.
#ifndef HEAPTALLY_TESTS_UNWIND_SHAPES_H_
#define HEAPTALLY_TESTS_UNWIND_SHAPES_H_

#include <cstddef>

namespace heaptally::unwind {

using Callback = void (*)();

struct Shape {
  const char* name;
  void (*run)(Callback callback, int amount);
};

struct ShapeSet {
  const char* name;
  const Shape* shapes;
  size_t count;
};

#define HEAPTALLY_SHAPE_SETS(X) \
  X(o0_fp) X(o0_nofp) X(o2_fp) X(o2_nofp) X(o3_fp) X(o3_nofp) X(o3_avx2)

#define HEAPTALLY_DECLARE(variant) \
  namespace variant {              \
  ShapeSet Shapes();               \
  }
HEAPTALLY_SHAPE_SETS(HEAPTALLY_DECLARE)
#undef HEAPTALLY_DECLARE

}  // namespace heaptally::unwind

#endif  // HEAPTALLY_TESTS_UNWIND_SHAPES_H_
