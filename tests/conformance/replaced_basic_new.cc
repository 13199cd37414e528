// A program that replaces only operator new(size_t) and delete(void*): by the
// standard, every other unaligned form ends in these two.
#include <new>

#include "tests/support/case.h"

namespace {

int news = 0;
int deletes = 0;
bool fail_next = false;

alignas(16) char arena[1 << 16];
size_t arena_used = 0;

bool IsOurs(const void* block) {
  return block >= arena && block < arena + sizeof arena;
}

}  // namespace

// The arena shows that the block came from here; outside it, malloc would do.
void* operator new(size_t size) {
  ++news;
  if (fail_next) {
    fail_next = false;
    throw std::bad_alloc();
  }
  void* block = arena + arena_used;
  arena_used += (size + 15) / 16 * 16 + 16;
  CHECK(arena_used < sizeof arena);
  return block;
}

void operator delete(void* block) noexcept {
  ++deletes;
  CHECK(block == nullptr || IsOurs(block));
}

namespace {

template <typename Function>
void ExpectOneNew(Function allocate) {
  int before = news;
  void* block = Keep(allocate());
  CHECK_EQ(news, before + 1);
  CHECK(IsOurs(block));
}

template <typename Function>
void ExpectOneDelete(Function release) {
  int before = deletes;
  release(Keep(operator new(24)));
  CHECK_EQ(deletes, before + 1);
}

CASE(ReplacedBasicNew_IsReachedByEveryUnalignedForm) {
  ExpectOneNew([] { return operator new(24); });
  ExpectOneNew([] { return operator new[](24); });
  ExpectOneNew([] { return operator new(24, std::nothrow); });
  ExpectOneNew([] { return operator new[](24, std::nothrow); });
}

CASE(ReplacedBasicDelete_IsReachedByEveryUnalignedForm) {
  ExpectOneDelete([](void* block) { operator delete(block); });
  ExpectOneDelete([](void* block) { operator delete[](block); });
  ExpectOneDelete([](void* block) { operator delete(block, size_t{24}); });
  ExpectOneDelete([](void* block) { operator delete[](block, size_t{24}); });
  ExpectOneDelete([](void* block) { operator delete(block, std::nothrow); });
  ExpectOneDelete([](void* block) { operator delete[](block, std::nothrow); });
}

CASE(ReplacedBasicNew_ItsExceptionBecomesNullInNothrowForms) {
  fail_next = true;
  CHECK(operator new(24, std::nothrow) == nullptr);
  fail_next = true;
  CHECK(operator new[](24, std::nothrow) == nullptr);
}

CASE(ReplacedBasicNew_ItsExceptionLeavesTheArrayForm) {
  fail_next = true;
  bool caught = false;
  try {
    Keep(operator new[](24));
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  CHECK(caught);
}

CASE(ReplacedBasicNew_IsNotUsedByAlignedForms) {
  const auto alignment = std::align_val_t{64};
  int before = news;
  void* block = Keep(operator new(24, alignment));
  CHECK(!IsOurs(block));
  operator delete(block, alignment);
  CHECK_EQ(news, before);
}

}  // namespace
