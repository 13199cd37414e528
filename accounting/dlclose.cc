// dlclose, wrapped: what walks remember about code is dropped when the code is.
// Results and errors are libc's. Takes no locks; the real call takes the
// loader's, and nothing of ours is held or waited for around it.
#include <dlfcn.h>

#include <atomic>

#include "accounting/modules.h"

namespace {

using Dlclose = int (*)(void*);

Dlclose RealDlclose() {
  static std::atomic<Dlclose> real{nullptr};
  Dlclose found = real.load(std::memory_order_acquire);
  if (found == nullptr) {
    found = reinterpret_cast<Dlclose>(dlsym(RTLD_NEXT, "dlclose"));
    real.store(found, std::memory_order_release);
  }
  return found;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int dlclose(void* handle) {
  const Dlclose real = RealDlclose();
  if (real == nullptr) return -1;
  heaptally::Modules::BeforeClose();
  const int result = real(handle);
  heaptally::Modules::AfterClose();
  return result;
}
