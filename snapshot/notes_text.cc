#include "snapshot/notes_text.h"

#include "absl/strings/str_cat.h"
#include "snapshot/books.h"
#include "snapshot/text_format.h"

namespace heaptally {
namespace {

void NoteBooks(const Snapshot& s, std::vector<std::string>& notes) {
  if (EvaluateBooks(s).balanced()) return;
  notes.push_back(absl::StrCat("The books of ", s.path,
                               " do not balance: its figures are doubtful."));
}

// The notes that concern one of two files.
void NoteFile(const Snapshot& s, std::vector<std::string>& notes) {
  NoteBooks(s, notes);
  if (s.Sampled()) {
    notes.push_back(absl::StrCat(
        "Stacks were sampled in ", s.path,
        ": a traceback counts only the blocks that were sampled, the others "
        "stand under blocks without a stack."));
  }
  const uint64_t saturated = s.facts.Number("epoch_saturated");
  if (saturated != 0) {
    notes.push_back(
        absl::StrCat(CountOf(saturated, "block", "blocks"), " of ", s.path,
                     " had no room for a birth epoch: some of them may be new "
                     "and count as survived."));
  }
}

void NoteTwoProcesses(const Snapshot& a, const Snapshot& b,
                      std::vector<std::string>& notes) {
  notes.emplace_back(
      "The snapshots are of two processes, whose blocks cannot be matched one "
      "by one. Of each traceback (function, file, line and module of all "
      "frames) the smaller of the two numbers counts as survived and the rest "
      "as new or freed: on its own for blocks, for requested and for usable "
      "bytes, so that one may grow while another shrinks. The net is exact.");
  for (const Snapshot* s : {&a, &b}) {
    if (s->names.present()) continue;
    notes.push_back(absl::StrCat(s->path,
                                 " has no names, so that its tracebacks match "
                                 "only by module and offset."));
  }
}

}  // namespace

std::vector<std::string> SnapshotNotes(const Snapshot& s) {
  std::vector<std::string> notes;
  NoteBooks(s, notes);
  if (s.Sampled()) {
    notes.emplace_back(
        "Stacks were sampled: a traceback counts only the blocks that were "
        "sampled, the others stand under blocks without a stack; the estimate "
        "says what the sampled blocks stand for.");
  }
  return notes;
}

std::vector<std::string> PairNotes(const Snapshot& baseline,
                                   const Snapshot& comparison,
                                   MatchedBy matched_by, uint64_t resized) {
  std::vector<std::string> notes;
  if (matched_by == MatchedBy::kSymbolisedTraceback) {
    NoteTwoProcesses(baseline, comparison, notes);
  }
  if (resized != 0) {
    notes.push_back(absl::StrCat(
        CountOf(resized, "block was", "blocks were"),
        " resized in place: counted as freed with the old size and new with "
        "the new one."));
  }
  if (baseline.mode() != comparison.mode()) {
    notes.push_back(absl::StrCat("The recording mode was ", baseline.mode(),
                                 " in the baseline and is ", comparison.mode(),
                                 " in the comparison."));
  }
  NoteFile(baseline, notes);
  NoteFile(comparison, notes);
  return notes;
}

}  // namespace heaptally
