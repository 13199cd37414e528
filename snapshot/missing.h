// The text of the section names.missing: lines `module TAB build_id TAB hint`.
// Thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_MISSING_H_
#define HEAPTALLY_SNAPSHOT_MISSING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/name_table.h"

namespace heaptally {

// Errors as KeyValues::Parse gives them.
absl::StatusOr<std::vector<MissingModule>> ParseMissing(absl::string_view text);
std::string FormatMissing(absl::Span<const MissingModule> missing);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_MISSING_H_
