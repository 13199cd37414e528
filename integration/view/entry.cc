#include "integration/view/entry.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "integration/view/sentence.h"
#include "snapshot/books.h"

namespace heaptally::view {
namespace {

constexpr absl::string_view kAtOffset = " at offset ";

// "section nodes.parent at offset 512: element 3 is ...": the place before the
// colon, if that is what it is.
bool TakePlace(absl::string_view& text, EntryFault& fault) {
  const size_t colon = text.find(": ");
  if (colon == absl::string_view::npos) return false;
  const absl::string_view place = text.substr(0, colon);
  const size_t at = place.rfind(kAtOffset);
  uint64_t offset = 0;
  if (at == absl::string_view::npos ||
      !absl::SimpleAtoi(place.substr(at + kAtOffset.size()), &offset)) {
    return false;
  }
  absl::string_view section = place.substr(0, at);
  absl::ConsumePrefix(&section, "section ");
  fault.section = std::string(section);
  fault.offset = offset;
  text.remove_prefix(colon + 2);
  return true;
}

}  // namespace

EntryFault FaultOf(const absl::Status& status, const std::string& path,
                   const std::string& name) {
  EntryFault fault;
  const std::string message =
      absl::StrReplaceAll(std::string(status.message()), {{path, name}});
  fault.sentence = Sentence(message);
  absl::string_view text = message;
  if (!absl::ConsumePrefix(&text, absl::StrCat(name, ": "))) {
    absl::ConsumePrefix(&text, absl::StrCat("cannot read ", name, ": "));
  }
  TakePlace(text, fault);
  const size_t way_out = text.rfind("; ");
  if (way_out != absl::string_view::npos) {
    fault.advice = std::string(text.substr(way_out + 2));
  }
  return fault;
}

absl::Status CheckUnchanged(const Entry& entry) {
  if (FileStamp::Of(entry.file) == entry.stamp) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(entry.file, " has changed since it was read; clear ",
                   entry.name, " and load the file again"));
}

EntryFacts FactsOf(const Snapshot& snapshot) {
  EntryFacts facts;
  facts.pid = snapshot.facts.Number("pid");
  facts.command = std::string(snapshot.facts.Text("command"));
  facts.process_id = std::string(snapshot.process_id());
  facts.taken_ns = snapshot.facts.Number("taken_ns");
  facts.mode = std::string(snapshot.mode());
  facts.epoch = snapshot.epoch();
  facts.total = SumOf(snapshot.blocks);
  facts.peak = snapshot.FactMeasure("peak");
  facts.named = snapshot.names.present();
  facts.balanced = EvaluateBooks(snapshot).balanced();
  return facts;
}

}  // namespace heaptally::view
