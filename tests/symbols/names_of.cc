// names_of [--debug-dir DIR]... [--build-id ID] FILE: reads addresses of FILE
// (hex, one a line) and prints their frames in the form of `addr2line -a -i
// -f`.
// --build-id pretends that this id was recorded in place of FILE's own. Ends
// with what a report would say about missing debug information, after
// "missing:".
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "snapshot/elf_file.h"
#include "snapshot/missing_names.h"
#include "snapshot/module_symbols.h"

namespace {

void PrintFrames(const std::vector<heaptally::SourceFrame>& frames) {
  if (frames.empty()) std::puts("??\n??:0");
  for (const heaptally::SourceFrame& frame : frames) {
    std::string function(frame.function.empty() ? "??" : frame.function);
    std::string file(frame.file.empty() ? "??" : frame.file);
    std::printf("%s\n%s:%u\n", function.c_str(), file.c_str(), frame.line);
  }
}

int Usage() {
  std::fputs("names_of [--debug-dir DIR]... [--build-id ID] FILE\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  heaptally::DebugFileOptions options;
  heaptally::Module module;
  std::string build_id;
  std::vector<std::string> directories;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--debug-dir") == 0 && i + 1 < argc) {
      directories.emplace_back(argv[++i]);
    } else if (std::strcmp(argv[i], "--build-id") == 0 && i + 1 < argc) {
      build_id = argv[++i];
    } else if (std::strcmp(argv[i], "--debuginfod") == 0) {
      options.use_debuginfod = true;
    } else {
      module.path = argv[i];
    }
  }
  if (module.path.empty()) return Usage();
  if (!directories.empty()) options.directories = directories;
  auto file = heaptally::ElfFile::Open(module.path);
  if (file != nullptr) module.build_id = file->build_id();
  if (!build_id.empty()) module.build_id = build_id;

  heaptally::TextPool pool;
  heaptally::ModuleSymbols symbols(module, options, pool);
  std::string word;
  while (std::cin >> word) {
    std::printf("0x%016llx\n", std::stoull(word, nullptr, 16));
    PrintFrames(symbols.Find(std::stoull(word, nullptr, 16)));
  }
  std::puts("missing:");
  for (const heaptally::MissingModule& missing : heaptally::DescribeMissing(
           {{&module, symbols.fault(), symbols.found_build_id()}}, options)) {
    std::printf("%s\t%s\t%s\n", missing.module.c_str(),
                missing.build_id.c_str(), missing.hint.c_str());
  }
  return 0;
}
