#include "snapshot/change.h"

namespace heaptally {

absl::string_view MatchedByName(MatchedBy matched_by) {
  return matched_by == MatchedBy::kBirthEpoch ? "block address and birth epoch"
                                              : "symbolised traceback";
}

}  // namespace heaptally
