// The loaded objects that walks have met, and those of them that are gone.
//
// A record is made the first time a walk needs an object's unwind table, so
// that its path and build id are still known after dlclose. Records are never
// removed: lists only grow and readers need no lock. Nothing here allocates
// from the measured heap, takes a lock or waits; the loader's lock may be held
// by the caller. Safe in signal handlers.
//
// What `State()` is for: everything that remembers code addresses (cached
// rules, last stacks) compares it once per walk. While a dlclose is under way
// nothing is remembered at all, because another thread may already be loading
// another object at the addresses that become free.
#ifndef HEAPTALLY_ACCOUNTING_MODULES_H_
#define HEAPTALLY_ACCOUNTING_MODULES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

struct dl_find_object;

namespace heaptally {

struct Module {
  static constexpr size_t kMaxBuildId = 32;

  uintptr_t start = 0;  // of its mapping; `end` is one past it
  uintptr_t end = 0;
  uintptr_t bias = 0;
  const void* link_map = nullptr;
  const void* eh_frame_header = nullptr;
  const char* path = "";  // as the loader names it
  uint8_t build_id_size = 0;
  uint8_t build_id[kMaxBuildId] = {};
  std::atomic<uint16_t> generation{0};  // 0 = loaded, as far as we know
  std::atomic<uint32_t> next{0};        // older record for the same hash
};

class Modules {
 public:
  // Changes whenever remembered addresses may have lost their meaning. The low
  // half counts dlclose calls under way.
  static uint64_t State() { return state_.load(std::memory_order_acquire); }
  static bool Closing(uint64_t state) {
    return static_cast<uint32_t>(state) != 0;
  }

  // Makes sure that the object is known. If other objects were known at its
  // addresses they are declared unloaded first.
  static void Note(const dl_find_object& object);

  // Around the real dlclose, in this order, in the same thread.
  static void BeforeClose();
  static void AfterClose();

  // Records in order of first use, without locks. Index < Count(); generation
  // != 0 means unloaded: addresses in the range carry it in their top 16 bits.
  // A record whose `end` is 0 is just being made.
  static uint32_t Count();
  static const Module& At(uint32_t index);

  // Called when a module was unloaded, by the thread that noticed, without
  // locks of ours held. One hook; set before the first walk.
  using UnloadedHook = void (*)(uintptr_t start, uintptr_t end,
                                uint16_t generation);
  static void SetUnloadedHook(UnloadedHook hook);

 private:
  static void NoteNew(const dl_find_object& object);

  static std::atomic<uint64_t> state_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_MODULES_H_
