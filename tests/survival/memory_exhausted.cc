// Address space runs out: every door fails as it should, and works again when
// memory was given back.
#include <errno.h>
#include <malloc.h>
#include <sys/resource.h>

#include <new>

#include "tests/support/check.h"

namespace {

constexpr size_t kAddressSpace = size_t{1} << 30;

struct Link {
  Link* next;
};

Link* TakeAll(size_t size) {
  Link* chain = nullptr;
  while (true) {
    errno = 0;
    auto* link = static_cast<Link*>(malloc(size));
    if (link == nullptr) {
      CHECK_EQ(errno, ENOMEM);
      return chain;
    }
    link->next = chain;
    chain = link;
  }
}

void GiveBack(Link* chain) {
  while (chain != nullptr) {
    Link* next = chain->next;
    free(chain);
    chain = next;
  }
}

void ExpectFailure(const void* result) {
  CHECK(result == nullptr);
  CHECK_EQ(errno, ENOMEM);
  errno = 0;
}

void ExpectEveryDoorToFail(size_t size, void* old) {
  errno = 0;
  ExpectFailure(malloc(size));
  ExpectFailure(calloc(1, size));
  ExpectFailure(realloc(old, size));
  ExpectFailure(reallocarray(old, 2, size / 2));
  ExpectFailure(memalign(64, size));
  ExpectFailure(aligned_alloc(4096, size));
  ExpectFailure(valloc(size));
  ExpectFailure(pvalloc(size));
  void* untouched = &untouched;
  CHECK_EQ(posix_memalign(&untouched, 64, size), ENOMEM);
  CHECK(untouched == &untouched);
  CHECK(operator new(size, std::nothrow) == nullptr);
  bool caught = false;
  try {
    Keep(operator new(size));
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  CHECK(caught);
}

// With nothing left, small requests may still find a place; they must not
// crash.
void TryEveryDoor(size_t size) {
  free(calloc(1, size));
  free(realloc(malloc(size), size * 3));
  free(memalign(64, size));
  free(valloc(size));
  void* block = nullptr;
  if (posix_memalign(&block, 128, size) == 0) {
    free(block);
  }
  operator delete(operator new(size, std::nothrow));
  try {
    operator delete(operator new(size));
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

int main() {
  void* old = malloc(1000);
  Fill(old, 1000, 4);
  rlimit limit = {kAddressSpace, kAddressSpace};
  CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  const size_t sizes[] = {size_t{1} << 20, size_t{100} << 10, 4096, 64};
  for (size_t size : sizes) {
    Link* large = TakeAll(size_t{1} << 20);
    Link* chain = TakeAll(size);
    ExpectEveryDoorToFail(kAddressSpace, old);
    for (size_t small = 1; small < size_t{8} << 20; small *= 3) {
      TryEveryDoor(small);
    }
    CHECK(IsFilled(old, 1000, 4));
    GiveBack(chain);
    GiveBack(large);
    free(Keep(malloc(size_t{4} << 20)));
  }
  free(old);
  WriteText(1, "ok\n");
}
