// Memory for our own tables, straight from the kernel and counted by purpose.
// Never from the heap that we measure. Thread-safe, signal-safe, no locks;
// fails by returning null, never by aborting.
#ifndef HEAPTALLY_ACCOUNTING_OWN_MEMORY_H_
#define HEAPTALLY_ACCOUNTING_OWN_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

enum class OwnUse : uint8_t {
  kSideHeaders,
  kPageMap,
  kTracebacks,
  kThreads,
  kOther,
  kCount,
};

class OwnMemory {
 public:
  // Maps `bytes` (rounded up to pages) of zeroed memory; null when refused.
  // Counts all of it as used.
  static void* Map(size_t bytes, OwnUse use);

  // Reserves address space that counts as used only as far as Count() says;
  // for tables that fill from the front.
  static void* Reserve(size_t bytes);

  // Gives back what Reserve gave; counts nothing.
  static void Discard(void* p, size_t bytes);

  // Adds `bytes` (may be negative) to what `use` occupies.
  static void Count(OwnUse use, int64_t bytes);

  static void Unmap(void* p, size_t bytes, OwnUse use);

  // Bytes in use for `use`, and for all purposes together.
  static uint64_t Used(OwnUse use);
  static uint64_t TotalUsed();
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_OWN_MEMORY_H_
