// A program that replaces only the aligned basic forms and the array forms:
// the forms that forward to these must reach them, and no others.
#include <malloc.h>

#include <new>

#include "tests/support/case.h"

namespace {

int aligned_news = 0;
int aligned_deletes = 0;
int array_news = 0;
int array_deletes = 0;

}  // namespace

void* operator new(size_t size, std::align_val_t alignment) {
  ++aligned_news;
  return memalign(static_cast<size_t>(alignment), size);
}
void operator delete(void* block, std::align_val_t) noexcept {
  ++aligned_deletes;
  free(block);
}
void* operator new[](size_t size) {
  ++array_news;
  return malloc(size);
}
void operator delete[](void* block) noexcept {
  ++array_deletes;
  free(block);
}

namespace {

constexpr auto kAlignment = std::align_val_t{128};

CASE(ReplacedAlignedNew_IsReachedByEveryAlignedForm) {
  void* blocks[] = {operator new(24, kAlignment),
                    operator new[](24, kAlignment),
                    operator new(24, kAlignment, std::nothrow),
                    operator new[](24, kAlignment, std::nothrow),
                    operator new(24, kAlignment),
                    operator new(24, kAlignment)};
  CHECK_EQ(aligned_news, 6);
  operator delete(blocks[0], kAlignment);
  operator delete[](blocks[1], kAlignment);
  operator delete(blocks[2], kAlignment, std::nothrow);
  operator delete[](blocks[3], kAlignment, std::nothrow);
  operator delete(blocks[4], size_t{24}, kAlignment);
  operator delete[](blocks[5], size_t{24}, kAlignment);
  CHECK_EQ(aligned_deletes, 6);
  CHECK_EQ(array_news + array_deletes, 0);
}

CASE(ReplacedArrayNew_IsReachedByTheNothrowAndSizedArrayForms) {
  void* plain = operator new[](24);
  void* nothrow = operator new[](24, std::nothrow);
  CHECK_EQ(array_news, 2);
  operator delete[](plain, size_t{24});
  operator delete[](nothrow, std::nothrow);
  CHECK_EQ(array_deletes, 2);
  CHECK_EQ(aligned_news + aligned_deletes, 0);
}

CASE(ReplacedArrayNew_IsNotUsedByThePlainForms) {
  operator delete(Keep(operator new(24)));
  operator delete(Keep(operator new(24, std::nothrow)), std::nothrow);
  CHECK_EQ(array_news + array_deletes + aligned_news + aligned_deletes, 0);
}

}  // namespace
