// Gives return addresses their names: function, file and line, with the calls
// that the compiler inlined as frames of their own. Uses the files of this
// machine, each only if its build id is the one that the snapshot recorded. One
// thread at a time; what it reads is released module by module.
#ifndef HEAPTALLY_SNAPSHOT_SYMBOLIZER_H_
#define HEAPTALLY_SNAPSHOT_SYMBOLIZER_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "snapshot/debug_files.h"
#include "snapshot/name_table.h"

namespace heaptally {

class Symbolizer : public Namer {
 public:
  explicit Symbolizer(DebugFileOptions options = {})
      : options_(std::move(options)) {}

  absl::Status Name(absl::Span<const Module> modules,
                    absl::Span<const uint64_t> pcs, NameTable& table) override;

 private:
  DebugFileOptions options_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SYMBOLIZER_H_
