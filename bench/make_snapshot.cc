// Writes a made-up snapshot whose books balance:
//   make_snapshot FILE [BLOCKS [TRACEBACKS [DEPTH [SEED]]]] [--named] [--raw]
//                 [--later FILE]
// Without --raw it is packed. --later writes another one of the same process: a
// fifth of the blocks freed, and a quarter as many new ones.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "snapshot/packer.h"
#include "snapshot/synthetic.h"
#include "snapshot/writer.h"

namespace {

absl::Status WriteNamed(heaptally::Snapshot& snapshot, bool named,
                        const std::string& path,
                        const heaptally::WriteOptions& write) {
  heaptally::SyntheticNamer namer;
  if (named) {
    absl::Status status = heaptally::AddNames(snapshot, namer);
    if (!status.ok()) return status;
  }
  return heaptally::WriteSnapshot(snapshot, path, write);
}

}  // namespace

int main(int argc, char** argv) {
  heaptally::SyntheticOptions options;
  options.blocks = 5000000;
  options.tracebacks = 200000;
  options.depth = 40;
  options.functions = 50000;
  heaptally::WriteOptions write;
  bool named = false;
  std::string later;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--named") {
      named = true;
    } else if (word == "--raw") {
      write.pack = false;
    } else if (word == "--later" && i + 1 < argc) {
      later = argv[++i];
    } else {
      words.push_back(word);
    }
  }
  bool sound = !words.empty() && words.size() <= 5;
  if (words.size() > 1) sound &= absl::SimpleAtoi(words[1], &options.blocks);
  if (words.size() > 2) {
    sound &= absl::SimpleAtoi(words[2], &options.tracebacks);
  }
  if (words.size() > 3) sound &= absl::SimpleAtoi(words[3], &options.depth);
  if (words.size() > 4) sound &= absl::SimpleAtoi(words[4], &options.seed);
  if (!sound) {
    std::cerr << "usage: make_snapshot FILE [BLOCKS [TRACEBACKS [DEPTH "
                 "[SEED]]]] [--named] [--raw] [--later FILE]\n";
    return 2;
  }
  heaptally::Snapshot snapshot = heaptally::MakeSyntheticSnapshot(options);
  absl::Status status;
  if (!later.empty()) {
    heaptally::Snapshot next = heaptally::MakeSuccessor(
        snapshot, options.seed + 1, 0.2, options.blocks / 4);
    status.Update(WriteNamed(next, named, later, write));
  }
  status.Update(WriteNamed(snapshot, named, words[0], write));
  if (status.ok()) return 0;
  std::cerr << "make_snapshot: " << status.message() << '\n';
  return 2;
}
