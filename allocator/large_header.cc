#include "allocator/large_header.h"

#include "accounting/own_memory.h"
#include "allocator/free_stack.h"

namespace heaptally {
namespace {

FreeStack free_headers;
constexpr size_t kBatchBytes = 16 << 10;

}  // namespace

LargeHeader* LargeHeaders::Take() {
  if (auto* header = reinterpret_cast<LargeHeader*>(free_headers.Pop())) {
    *header = {};
    return header;
  }
  auto* batch = static_cast<LargeHeader*>(
      OwnMemory::Map(kBatchBytes, OwnUse::kSideHeaders));
  if (batch == nullptr) return nullptr;
  for (size_t i = 1; i < kBatchBytes / sizeof(LargeHeader); ++i) {
    Release(&batch[i]);
  }
  return &batch[0];
}

void LargeHeaders::Release(LargeHeader* header) {
  header->traceback = kNoBlock;
  free_headers.Push(&header->zero);
}

}  // namespace heaptally
