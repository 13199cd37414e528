#include "allocator/jemalloc.h"

#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include "accounting/sys.h"
#include "allocator/size_class.h"

namespace heaptally::jemalloc {
namespace {

// jemalloc maps 2 MiB at a time, aligned, for its own data and for an arena.
constexpr size_t kRoomForStart = 8 << 20;
constexpr size_t kRoomForThread = 6 << 20;
constexpr size_t kPlentyOfRoom = 256 << 20;

bool HasRoom(size_t bytes) {
  void* const p =
      sys::Mmap(bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  if (sys::Failed(reinterpret_cast<intptr_t>(p))) return false;
  sys::Munmap(p, bytes);
  return true;
}

ForkHandlers fork_handlers{};
ThreadExit thread_exit = nullptr;
void (*run_thread_exit)(ThreadExit, void*) = nullptr;

void OnThreadExit(void* value) {
  if (run_thread_exit != nullptr) {
    run_thread_exit(thread_exit, value);
  } else {
    thread_exit(value);
  }
}

bool ReadSize(const char* name, uint64_t* value) {
  size_t number = 0;
  size_t length = sizeof(number);
  if (je_mallctl(name, &number, &length, nullptr, 0) != 0) return false;
  *value = number;
  return true;
}

}  // namespace

bool Start() {
  if (!HasRoom(kRoomForStart)) return false;
  bool value = false;
  size_t length = sizeof(value);
  return je_mallctl("opt.abort", &value, &length, nullptr, 0) == 0;
}

Room RoomForThread() {
  if (HasRoom(kPlentyOfRoom)) return Room::kPlenty;
  return HasRoom(kRoomForThread) ? Room::kScarce : Room::kNone;
}

void StartThread() { je_free(je_malloc(16)); }

void* Allocate(size_t size) { return je_malloc(size); }

void* AllocateZeroed(size_t size) { return je_calloc(1, size); }

void* AllocateAligned(size_t alignment, size_t size) {
  return je_aligned_alloc(alignment, size);
}

void Free(void* p) { je_free(p); }

void FreeSized(void* p, size_t usable) {
  if (reinterpret_cast<uintptr_t>(p) % kPageSize == 0) {
    je_free(p);
  } else {
    je_sdallocx(p, usable, 0);
  }
}

size_t UsableSize(const void* p) { return je_sallocx(p, 0); }

size_t UsableFor(size_t size) { return je_nallocx(size, 0); }

size_t ResizeInPlace(void* p, size_t size) { return je_xallocx(p, size, 0, 0); }

bool ReadStatistics(Statistics* statistics) {
  uint64_t epoch = 1;
  size_t length = sizeof(epoch);
  if (je_mallctl("epoch", &epoch, &length, &epoch, length) != 0) return false;
  return ReadSize("stats.allocated", &statistics->allocated) &&
         ReadSize("stats.active", &statistics->active) &&
         ReadSize("stats.resident", &statistics->resident) &&
         ReadSize("stats.mapped", &statistics->mapped);
}

bool Purge() {
  static_assert(MALLCTL_ARENAS_ALL == 4096);
  return je_mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0) == 0;
}

const ForkHandlers& GetForkHandlers() { return fork_handlers; }

void SetThreadExitRunner(void (*run)(ThreadExit, void*)) {
  run_thread_exit = run;
}

}  // namespace heaptally::jemalloc

// jemalloc registers its fork handlers here instead of with the C library, so
// that fork.cc decides when they run.
extern "C" int heaptally_register_jemalloc_fork_handlers(void (*prepare)(),
                                                         void (*parent)(),
                                                         void (*child)()) {
  heaptally::jemalloc::fork_handlers = {prepare, parent, child};
  return 0;
}

// jemalloc makes the key of its destructor here; see SetThreadExitRunner.
extern "C" int heaptally_jemalloc_key_create(pthread_key_t* key,
                                             void (*destructor)(void*)) {
  heaptally::jemalloc::thread_exit = destructor;
  return pthread_key_create(key, heaptally::jemalloc::OnThreadExit);
}
