// Gives return addresses their names: function, file and line, with the calls
// that the compiler inlined as frames of their own. Uses the files of this
// machine, each only if its build id is the one that the snapshot recorded. One
// thread at a time; what it reads is released module by module.
#ifndef HEAPTALLY_SNAPSHOT_SYMBOLIZER_H_
#define HEAPTALLY_SNAPSHOT_SYMBOLIZER_H_

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "snapshot/debug_files.h"
#include "snapshot/name_table.h"

namespace heaptally {

class Symbolizer : public Namer {
 public:
  explicit Symbolizer(DebugFileOptions options = {})
      : options_(std::move(options)) {}

  // Called now and then with the addresses named so far; false cancels.
  void set_progress(std::function<bool(uint64_t done, uint64_t total)> told) {
    progress_ = std::move(told);
  }

  absl::Status Name(absl::Span<const Module> modules,
                    absl::Span<const uint64_t> pcs, NameTable& table) override;

 private:
  DebugFileOptions options_;
  std::function<bool(uint64_t, uint64_t)> progress_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SYMBOLIZER_H_
