// The new_handler loop: called until memory is found, until it throws, or
// until it takes itself away; and the exceptions that leave operator new.
#include <errno.h>
#include <malloc.h>

#include <exception>
#include <new>

#include "tests/support/case.h"

namespace {

constexpr size_t kTooLarge = PTRDIFF_MAX;

int calls = 0;

struct HandlerGaveUp {};

template <typename Allocation>
void ExpectBadAllocAfter(int expected_calls, Allocation allocate) {
  calls = 0;
  bool caught = false;
  try {
    Keep(allocate());
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  CHECK(caught);
  CHECK_EQ(calls, expected_calls);
}

void RemoveItselfAtTheThirdCall() {
  if (++calls == 3) {
    std::set_new_handler(nullptr);
  }
}

CASE(NewHandler_IsCalledUntilItIsGone) {
  std::set_new_handler(RemoveItselfAtTheThirdCall);
  ExpectBadAllocAfter(3, [] { return operator new(kTooLarge); });
  std::set_new_handler(RemoveItselfAtTheThirdCall);
  ExpectBadAllocAfter(3, [] { return operator new[](kTooLarge); });
  std::set_new_handler(RemoveItselfAtTheThirdCall);
  ExpectBadAllocAfter(
      3, [] { return operator new(kTooLarge, std::align_val_t{64}); });
  std::set_new_handler(RemoveItselfAtTheThirdCall);
  ExpectBadAllocAfter(
      3, [] { return operator new[](kTooLarge, std::align_val_t{64}); });
}

void ThrowBadAlloc() {
  ++calls;
  throw std::bad_alloc();
}

void ThrowSomethingElse() {
  ++calls;
  throw HandlerGaveUp();
}

CASE(NewHandler_ItsExceptionLeavesOperatorNew) {
  std::set_new_handler(ThrowBadAlloc);
  ExpectBadAllocAfter(1, [] { return operator new(kTooLarge); });
  std::set_new_handler(ThrowSomethingElse);
  bool caught = false;
  try {
    Keep(operator new(kTooLarge));
  } catch (const HandlerGaveUp&) {
    caught = true;
  }
  CHECK(caught);
}

CASE(NewHandler_NothrowFormsCallItAndSwallowWhatItThrows) {
  for (auto* handler : {ThrowBadAlloc, ThrowSomethingElse}) {
    std::set_new_handler(handler);
    calls = 0;
    CHECK(operator new(kTooLarge, std::nothrow) == nullptr);
    CHECK(operator new[](kTooLarge, std::nothrow) == nullptr);
    CHECK(operator new(kTooLarge, std::align_val_t{64}, std::nothrow) ==
          nullptr);
    CHECK(operator new[](kTooLarge, std::align_val_t{64}, std::nothrow) ==
          nullptr);
    CHECK_EQ(calls, 4);
    CHECK_EQ(std::uncaught_exceptions(), 0);
  }
}

// The reserve whose release lets the request succeed: address space is
// limited so that the request fails only while the reserve is held.
void* reserve = nullptr;

void ReleaseTheReserve() {
  ++calls;
  free(reserve);
  malloc_trim(0);
  reserve = nullptr;
  if (calls > 1) {
    std::set_new_handler(nullptr);
  }
}

CASE(NewHandler_MayAllocateAndFree) {
  reserve = malloc(1 << 20);
  std::set_new_handler(ReleaseTheReserve);
  ExpectBadAllocAfter(2, [] { return operator new(kTooLarge); });
  CHECK(reserve == nullptr);
}

CASE(NewHandler_IsNotCalledByMalloc) {
  std::set_new_handler(ThrowBadAlloc);
  calls = 0;
  CHECK(malloc(KeepSize(kTooLarge)) == nullptr);
  CHECK(calloc(KeepSize(kTooLarge), 1) == nullptr);
  CHECK(memalign(64, KeepSize(kTooLarge)) == nullptr);
  CHECK_EQ(calls, 0);
}

struct CountUncaught {
  ~CountUncaught() { seen = std::uncaught_exceptions(); }
  int& seen;
};

CASE(BadAlloc_IsTheProgramsOwnException) {
  int seen = -1;
  try {
    CountUncaught counter{seen};
    Keep(operator new(kTooLarge));
  } catch (const std::exception& error) {
    CHECK_EQ(std::uncaught_exceptions(), 0);
    CHECK_EQ(strcmp(error.what(), "std::bad_alloc"), 0);
  }
  CHECK_EQ(seen, 1);
}

CASE(BadAlloc_CanBeStoredAndThrownAgain) {
  std::exception_ptr stored;
  try {
    Keep(operator new(kTooLarge));
  } catch (...) {
    stored = std::current_exception();
  }
  CHECK(stored != nullptr);
  bool caught = false;
  try {
    std::rethrow_exception(stored);
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  CHECK(caught);
}

CASE(BadAlloc_ThrownManyTimesLeaksNothing) {
  size_t before = 0;
  for (int i = 0; i < 20000; ++i) {
    ExpectBadAllocAfter(0, [] { return operator new(kTooLarge); });
    if (i == 100) {
      before = mallinfo2().uordblks;
    }
  }
  CHECK_LE(mallinfo2().uordblks, before + 4096);
}

CASE(BadAlloc_LeavesEnomem) {
  errno = 0;
  try {
    Keep(operator new(kTooLarge));
  } catch (const std::bad_alloc&) {
  }
  CHECK_EQ(errno, ENOMEM);
}

}  // namespace
