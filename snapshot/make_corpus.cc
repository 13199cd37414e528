// Writes the seeds of the reader's fuzzer: make_corpus FOLDER.
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "snapshot/packer.h"
#include "snapshot/small_snapshot.h"
#include "snapshot/synthetic.h"
#include "snapshot/writer.h"

int main(int argc, char** argv) {
  using heaptally::Snapshot;
  if (argc != 2) {
    std::cerr << "usage: make_corpus FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  heaptally::SyntheticNamer namer;
  Snapshot named =
      heaptally::MakeSyntheticSnapshot({.blocks = 30, .tracebacks = 6});
  absl::Status status = heaptally::AddNames(named, namer);
  Snapshot sampled = heaptally::SmallSnapshot();
  sampled.facts.Set("mode", "sampled");
  sampled.recording = std::vector<heaptally::format::RecordingEntry>{
      {1, heaptally::format::kAll, 0, 0},
      {2, heaptally::format::kSampled, 512, 0}};
  sampled.modules.push_back({0x7000, 0x8000, 0x7000, 3, "bb", "/lib/gone.so"});
  const std::pair<std::string, Snapshot> seeds[] = {
      {"empty",
       heaptally::MakeSyntheticSnapshot({.blocks = 0, .tracebacks = 0})},
      {"raw", heaptally::MakeSyntheticSnapshot({.blocks = 9, .tracebacks = 3})},
      {"named", named},
      {"sampled", sampled}};
  for (const auto& [name, snapshot] : seeds) {
    for (const bool pack : {false, true}) {
      status.Update(heaptally::WriteSnapshot(
          snapshot,
          absl::StrCat(folder, "/", name, pack ? "_packed" : "", ".heaptally"),
          {.pack = pack}));
    }
  }
  if (status.ok()) return 0;
  std::cerr << "make_corpus: " << status.message() << '\n';
  return 2;
}
