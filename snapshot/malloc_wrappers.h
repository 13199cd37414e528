// Functions that do no more than pass an allocation on to malloc. Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_MALLOC_WRAPPERS_H_
#define HEAPTALLY_SNAPSHOT_MALLOC_WRAPPERS_H_

#include "absl/strings/string_view.h"

namespace heaptally {

// By the exact names that well-known programs and libraries use: every caller
// goes through them, so that as allocation sites they tell nothing. Parameters
// and a compiler's suffix (".isra.0") do not count.
bool IsMallocWrapper(absl::string_view function);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_MALLOC_WRAPPERS_H_
