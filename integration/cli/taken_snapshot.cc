#include "integration/cli/taken_snapshot.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "snapshot/json_writer.h"
#include "snapshot/text_format.h"

namespace heaptally::cli {
namespace {

double Milliseconds(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace

std::string TakenForPeople(const TakenSnapshot& taken) {
  std::string out = absl::StrFormat(
      "%s  %s: %s blocks, %s usable; the process paused for %.1f ms\n",
      taken.file, BytesText(taken.file_bytes), ThousandsText(taken.sum.blocks),
      BytesText(taken.sum.usable), Milliseconds(taken.capture.pause_ns));
  if (!taken.capture.forked) {
    absl::StrAppend(&out,
                    "It could not fork, so it wrote the snapshot while all of "
                    "it stood still.\n");
  }
  if (!taken.capture.quiesced) {
    absl::StrAppend(&out,
                    "Some thread could not be stopped first: blocks it "
                    "allocated or freed just then may be miscounted.\n");
  }
  return out;
}

void TakenJson(const TakenSnapshot& taken, std::ostream& out) {
  JsonWriter json(out);
  json.BeginObject();
  json.Key("file").String(taken.file);
  json.Key("file_bytes").Number(taken.file_bytes);
  json.Key("pid").Number(taken.pid);
  json.Key("command").String(taken.command);
  json.Key("label").String(taken.label);
  json.Key("blocks").Number(taken.sum.blocks);
  json.Key("requested").Number(taken.sum.requested);
  json.Key("usable").Number(taken.sum.usable);
  json.Key("balanced").Bool(taken.balanced);
  json.Key("epoch").Number(taken.capture.epoch);
  json.Key("method").String(taken.capture.forked ? "fork" : "in_process");
  json.Key("quiesced").Bool(taken.capture.quiesced);
  json.Key("pause_ms").Real(Milliseconds(taken.capture.pause_ns));
  json.Key("duration_ms").Real(Milliseconds(taken.capture.duration_ns));
  json.Key("raw_bytes").Number(taken.capture.bytes);
  json.EndObject();
}

std::string CapturingLine(uint64_t bytes) {
  return absl::StrCat("capturing, ", BytesText(bytes), " written");
}

std::string NamingLine(uint64_t addresses) {
  return absl::StrCat("naming ", ThousandsText(addresses),
                      " places in the program");
}

}  // namespace heaptally::cli
