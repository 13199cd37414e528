#include "snapshot/symbolizer.h"

#include <memory>
#include <vector>

#include "snapshot/missing_names.h"
#include "snapshot/module_symbols.h"
#include "snapshot/text_pool.h"

namespace heaptally {
namespace {

constexpr int kGenerationShift = 48;
constexpr size_t kToldEvery = 64;

// Abseil may have been built with a string view of its own.
absl::string_view View(std::string_view text) {
  return absl::string_view(text.data(), text.size());
}

// Names addresses one after the other; as they ascend, each module and each of
// its compilation units is visited once, and only one module is open.
class Run {
 public:
  Run(absl::Span<const Module> modules, const DebugFileOptions& options,
      NameTable& table)
      : map_(modules), options_(options), table_(table) {}

  void Add(uint64_t pc) {
    const Module* module = map_.Find(pc);
    if (module == nullptr) {
      table_.AddLocation({});
      return;
    }
    if (module != module_) Enter(module);
    uint64_t address = pc & ((uint64_t{1} << kGenerationShift) - 1);
    // A return address stands behind its call.
    std::vector<SourceFrame> frames =
        symbols_->Find(address - 1 - module->bias);
    names_.clear();
    for (const SourceFrame& frame : frames) {
      names_.push_back({View(frame.function), View(frame.file), frame.line,
                        frame.inlined, Basename(module->path)});
    }
    table_.AddLocation(names_);
  }

  void Finish() {
    Leave();
    for (MissingModule& missing : DescribeMissing(faults_, options_)) {
      table_.AddMissing(std::move(missing));
    }
  }

 private:
  void Enter(const Module* module) {
    Leave();
    module_ = module;
    symbols_ = std::make_unique<ModuleSymbols>(*module, options_, pool_);
  }

  void Leave() {
    if (symbols_ == nullptr) return;
    faults_.push_back({module_, symbols_->fault(), symbols_->found_build_id()});
    symbols_ = nullptr;
  }

  ModuleMap map_;
  const DebugFileOptions& options_;
  NameTable& table_;
  TextPool pool_;
  const Module* module_ = nullptr;
  std::unique_ptr<ModuleSymbols> symbols_;
  std::vector<ModuleFault> faults_;
  std::vector<FrameName> names_;
};

}  // namespace

absl::Status Symbolizer::Name(absl::Span<const Module> modules,
                              absl::Span<const uint64_t> pcs,
                              NameTable& table) {
  Run run(modules, options_, table);
  for (size_t i = 0; i < pcs.size(); ++i) {
    if (progress_ && i % kToldEvery == 0 && !progress_(i, pcs.size())) {
      return absl::CancelledError("cancelled");
    }
    run.Add(pcs[i]);
  }
  run.Finish();
  return absl::OkStatus();
}

}  // namespace heaptally
