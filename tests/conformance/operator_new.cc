// Every form of operator new and delete, called as a compiler would call it.
#include <errno.h>
#include <malloc.h>

#include <new>

#include "tests/support/case.h"

namespace {

constexpr size_t kSizes[] = {0, 1, 8, 9, 24, 100, 4000, 4096, 14336, 100000};
constexpr size_t kHuge[] = {size_t{PTRDIFF_MAX}, size_t{PTRDIFF_MAX} + 1,
                            SIZE_MAX - 4096};

bool IsAligned(const void* block, size_t alignment) {
  return reinterpret_cast<uintptr_t>(block) % alignment == 0;
}

void* Usable(void* block, size_t size, size_t alignment) {
  CHECK(block != nullptr);
  CHECK(IsAligned(block, alignment));
  CHECK_GE(malloc_usable_size(block), size);
  memset(block, 0x3C, malloc_usable_size(block));
  return Keep(block);
}

CASE(New_PlainFormsGiveAlignedDistinctBlocks) {
  for (size_t size : kSizes) {
    void* one = Usable(operator new(size), size, 16);
    void* array = Usable(operator new[](size), size, 16);
    CHECK(one != array);
    operator delete(one);
    operator delete[](array);
  }
  operator delete(Keep(nullptr));
  operator delete[](Keep(nullptr));
}

CASE(New_SizedDeleteFreesWhatPlainNewGave) {
  for (size_t size : kSizes) {
    operator delete(Usable(operator new(size), size, 16), size);
    operator delete[](Usable(operator new[](size), size, 16), size);
  }
  operator delete(Keep(nullptr), size_t{8});
  operator delete[](Keep(nullptr), size_t{8});
}

CASE(New_NothrowFormsGiveBlocks) {
  for (size_t size : kSizes) {
    void* one = Usable(operator new(size, std::nothrow), size, 16);
    void* array = Usable(operator new[](size, std::nothrow), size, 16);
    operator delete(one, std::nothrow);
    operator delete[](array, std::nothrow);
  }
}

CASE(New_AlignedFormsGiveEveryAlignment) {
  for (size_t align = 1; align <= size_t{4} << 20; align *= 2) {
    const auto alignment = std::align_val_t{align};
    for (size_t size : kSizes) {
      operator delete(Usable(operator new(size, alignment), size, align),
                      alignment);
      operator delete[](Usable(operator new[](size, alignment), size, align),
                        alignment);
      operator delete(Usable(operator new(size, alignment), size, align), size,
                      alignment);
      operator delete[](Usable(operator new[](size, alignment), size, align),
                        size, alignment);
      operator delete(
          Usable(operator new(size, alignment, std::nothrow), size, align),
          alignment, std::nothrow);
      operator delete[](
          Usable(operator new[](size, alignment, std::nothrow), size, align),
          alignment, std::nothrow);
    }
  }
}

CASE(New_RefusesAnAlignmentThatIsNoPowerOfTwo) {
  for (size_t align : {0, 3, 48, 100}) {
    const auto alignment = std::align_val_t{align};
    bool caught = false;
    try {
      Keep(operator new(64, alignment));
    } catch (const std::bad_alloc&) {
      caught = true;
    }
    CHECK(caught);
    CHECK(operator new(64, alignment, std::nothrow) == nullptr);
    CHECK(operator new[](64, alignment, std::nothrow) == nullptr);
  }
}

template <typename Allocation>
void ExpectBadAlloc(Allocation allocate) {
  bool caught = false;
  try {
    Keep(allocate());
  } catch (const std::bad_alloc& error) {
    CHECK_EQ(strcmp(error.what(), "std::bad_alloc"), 0);
    caught = true;
  }
  CHECK(caught);
}

CASE(New_ThrowsBadAllocWhenTooLarge) {
  for (size_t size : kHuge) {
    ExpectBadAlloc([&] { return operator new(size); });
    ExpectBadAlloc([&] { return operator new[](size); });
    ExpectBadAlloc([&] { return operator new(size, std::align_val_t{64}); });
    ExpectBadAlloc([&] { return operator new[](size, std::align_val_t{64}); });
  }
}

CASE(New_NothrowReturnsNullWhenTooLarge) {
  for (size_t size : kHuge) {
    const auto alignment = std::align_val_t{64};
    CHECK(operator new(size, std::nothrow) == nullptr);
    CHECK(operator new[](size, std::nothrow) == nullptr);
    CHECK(operator new(size, alignment, std::nothrow) == nullptr);
    CHECK(operator new[](size, alignment, std::nothrow) == nullptr);
  }
}

// libstdc++ rounds the size up to a multiple of the alignment, to 0 here, and
// succeeds; a block of no bytes for SIZE_MAX bytes is nothing to imitate.
CASE(New_AlignedFormsDoNotWrapTheLargestSize) {
  if (!UnderHeaptally()) return;
  const auto alignment = std::align_val_t{64};
  ExpectBadAlloc([&] { return operator new(SIZE_MAX, alignment); });
  CHECK(operator new(SIZE_MAX, alignment, std::nothrow) == nullptr);
}

struct alignas(256) Wide {
  char bytes[300];
};

CASE(New_ExpressionsOfOveralignedTypesWork) {
  for (int i = 0; i < 100; ++i) {
    auto* one = static_cast<Wide*>(Keep(new Wide));
    auto* many = static_cast<Wide*>(Keep(new Wide[7]));
    CHECK(IsAligned(one, 256) && IsAligned(many, 256));
    delete one;
    delete[] many;
  }
}

struct Base {
  virtual ~Base() = default;
  int value = 1;
};
struct Derived : Base {
  char more[500] = {};
};

CASE(New_DeleteThroughABaseClassWorks) {
  for (int i = 0; i < 100; ++i) {
    auto* base = static_cast<Base*>(Keep(static_cast<Base*>(new Derived)));
    delete base;
  }
}

CASE(New_KeepsErrnoOnSuccess) {
  errno = 4711;
  void* block = Keep(operator new(100));
  operator delete(block);
  block = Keep(operator new(size_t{9} << 20));
  operator delete(block);
  CHECK_EQ(errno, 4711);
}

// What malloc gave may reach delete in a program that is wrong but common.
CASE(New_AndMallocShareOneHeap) {
  for (size_t size : kSizes) {
    operator delete(Keep(malloc(size)));
    free(Keep(operator new(size)));
    free(Keep(operator new(size, std::align_val_t{128})));
    void* grown = realloc(Keep(operator new(size)), size + 100);
    CHECK(grown != nullptr);
    operator delete(grown);
  }
}

// A wrong size is the program's mistake; it must not bring the process down.
CASE(New_MismatchedSizedDeleteDoesNotCrash) {
  for (int i = 0; i < 1000; ++i) {
    operator delete(Keep(operator new(100)), KeepSize(24));
    operator delete(Keep(operator new(24)), KeepSize(5000));
    operator delete(Keep(operator new(20000)), KeepSize(8));
  }
}

}  // namespace
