// How the blocks of two snapshots differ. Value types, safe in any thread.
#ifndef HEAPTALLY_SNAPSHOT_CHANGE_H_
#define HEAPTALLY_SNAPSHOT_CHANGE_H_

#include "absl/strings/string_view.h"
#include "snapshot/measure.h"

namespace heaptally {

// baseline = freed + survived, comparison = added + survived.
struct Change {
  Measure added;
  Measure freed;
  Measure survived;

  NetMeasure net() const { return Net(added, freed); }
  bool changed() const { return added != Measure() || freed != Measure(); }
  Change& operator+=(const Change& other) {
    added += other.added;
    freed += other.freed;
    survived += other.survived;
    return *this;
  }
  friend bool operator==(const Change&, const Change&) = default;
};

enum class MatchedBy { kBirthEpoch, kSymbolisedTraceback };

// "block address and birth epoch" or "symbolised traceback".
absl::string_view MatchedByName(MatchedBy matched_by);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CHANGE_H_
