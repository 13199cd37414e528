// The parts that the text of reports and of comparisons share. Thread-safe for
// distinct streams.
#ifndef HEAPTALLY_SNAPSHOT_TEXT_PARTS_H_
#define HEAPTALLY_SNAPSHOT_TEXT_PARTS_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "snapshot/names.h"
#include "snapshot/snapshot.h"

namespace heaptally {

// "monsters.heaptally "after the feast"".
std::string TitleOf(const Snapshot& s);
// What a mode means, and its interval.
std::string ModeText(const Snapshot& s);
// A sentence for each kind of block without a stack.
absl::string_view ReasonText(uint32_t reason);

// Why a walk ended, from the root that its frames hang from: "depth limit".
absl::string_view WalkEndText(uint32_t root);

// The frames of a traceback, one a line, innermost first, indented; or the
// reason why there are none. Runs of frames of the C++ library are folded into
// one line; beyond `most` lines (0: no bound) the outermost are summed up. A
// line at the outer end says so if the walk ended early (see `root`).
std::vector<std::string> StackLines(const FrameTable& table,
                                    absl::Span<const FrameRef> frames,
                                    uint32_t reason, uint32_t root,
                                    size_t most);

// The modules without names, and what would help.
void PrintMissing(std::ostream& out, const Snapshot& s);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_TEXT_PARTS_H_
