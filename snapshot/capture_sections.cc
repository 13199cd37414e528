#include "snapshot/capture_sections.h"

#include <errno.h>

#include "accounting/modules.h"
#include "accounting/own_memory.h"
#include "accounting/recording.h"
#include "accounting/traceback_table.h"
#include "allocator/block_walk.h"
#include "snapshot/capture_modules.h"
#include "snapshot/capture_tracebacks.h"

namespace heaptally {
namespace {

constexpr size_t kMaxColumns = 13;
constexpr size_t kBufferBytes = 2 << 20;
constexpr size_t kModulesBytes = 64 << 10;
constexpr size_t kLineBytes = 16 << 10;  // an escaped path or label

struct Workspace {
  CaptureColumn columns[kMaxColumns];
  char maps[kModulesBytes];
  char line[kLineBytes];
  alignas(64) char buffers[kBufferBytes];
};

struct ColumnKind {
  uint32_t kind;
  uint32_t element_size;
};

constexpr ColumnKind kTracebackColumns[kMaxColumns] = {
    {format::kTracebacksNode, 4},
    {format::kTracebacksCurrentBlocks, 8},
    {format::kTracebacksCurrentRequested, 8},
    {format::kTracebacksCurrentUsable, 8},
    {format::kTracebacksEverBlocks, 8},
    {format::kTracebacksEverRequested, 8},
    {format::kTracebacksEverUsable, 8},
    {format::kTracebacksOwnPeakBlocks, 8},
    {format::kTracebacksOwnPeakRequested, 8},
    {format::kTracebacksOwnPeakUsable, 8},
    {format::kTracebacksAtPeakBlocks, 8},
    {format::kTracebacksAtPeakRequested, 8},
    {format::kTracebacksAtPeakUsable, 8}};

constexpr ColumnKind kBlockColumns[] = {{format::kBlocksAddress, 8},
                                        {format::kBlocksTraceback, 4},
                                        {format::kBlocksRequested, 8},
                                        {format::kBlocksUsable, 8},
                                        {format::kBlocksEpoch, 4}};

class SectionWriter {
 public:
  SectionWriter(int fd, CaptureShared* shared, Workspace* workspace)
      : file_(fd, &shared->progress), shared_(shared), workspace_(workspace) {}

  int Run() {
    WriteHeaderSpace();
    WriteNotes();
    WriteRecording();
    WriteModules();
    WriteNodes();
    sums_.check = CheckBooks();
    ForEachBlock(CountBlock, this);
    WriteTracebacks();
    WriteBlocks();
    WriteTail();
    return error_;
  }

 private:
  CaptureColumn& column(size_t i) { return workspace_->columns[i]; }

  template <typename T>
  void Put(size_t i, T value) {
    column(i).Put(file_, value);
  }

  // Opens `n` sections of `rows` elements each, one behind the other.
  void BeginColumns(const ColumnKind* kinds, size_t n, uint64_t rows) {
    const size_t share = (kBufferBytes / n) & ~size_t{63};
    for (size_t i = 0; i < n; ++i) {
      offset_ = AlignSection(offset_);
      column(i).Begin(workspace_->buffers + i * share, share, offset_);
      offset_ += rows * kinds[i].element_size;
    }
  }

  // `end` is exact also when fewer or more bytes came than were announced
  // (only a text of unknown length does that, and it is alone).
  void EndColumns(const ColumnKind* kinds, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      column(i).End(file_);
      if (error_ == 0) error_ = column(i).error();
      shared_->table.Add(kinds[i].kind, kinds[i].element_size, column(i));
      const uint64_t end = column(i).offset() + column(i).size();
      if (end > offset_) offset_ = end;
    }
  }

  // Zeroes where the header will be: the file has no magic until it is whole.
  void WriteHeaderSpace() {
    const format::Header zero = {};
    error_ = file_.SetSize(0);
    if (error_ == 0) error_ = file_.Write(&zero, sizeof(zero), 0);
    offset_ = sizeof(zero);
  }

  void WriteNotes() {
    constexpr ColumnKind kKind[] = {{format::kNotes, 1}};
    TextWriter out(workspace_->line, kLineBytes);
    if (shared_->label_size != 0) {
      out.Fact("label", shared_->label, shared_->label_size);
    }
    BeginColumns(kKind, 1, 0);
    column(0).PutBytes(file_, out.data(), out.size());
    EndColumns(kKind, 1);
  }

  void WriteRecording() {
    constexpr ColumnKind kKind[] = {
        {format::kRecording, sizeof(RecordingPeriod)}};
    size_t count = 0;
    const RecordingPeriod* periods = Recording::history(&count);
    BeginColumns(kKind, 1, count);
    column(0).PutBytes(file_, periods, count * sizeof(RecordingPeriod));
    EndColumns(kKind, 1);
  }

  void PutModule(const MappedModule& module, uint32_t generation) {
    char* line = workspace_->line;
    TextWriter out(line, kLineBytes - 1);
    out.Hex(module.start).Char('-').Hex(module.end).Char(' ');
    out.Hex(module.bias).Char(' ').Hex(generation).Char(' ');
    for (size_t i = 0; i < module.build_id_size; ++i) {
      out.Hex(module.build_id[i], 2);
    }
    if (module.build_id_size == 0) out.Char('-');
    out.Char(' ').Escaped(module.path, module.path_size);
    line[out.size()] = '\n';
    column(0).PutBytes(file_, line, out.size() + 1);
  }

  void WriteModules() {
    constexpr ColumnKind kKind[] = {{format::kModules, 1}};
    BeginColumns(kKind, 1, 0);
    ForEachMappedModule(
        workspace_->maps, kModulesBytes,
        [](void* self, const MappedModule& module) {
          static_cast<SectionWriter*>(self)->PutModule(module, 0);
        },
        this);
    WriteUnloadedModules();
    EndColumns(kKind, 1);
  }

  void WriteUnloadedModules() {
    const uint32_t count = Modules::Count();
    for (uint32_t i = 0; i < count; ++i) {
      const Module& gone = Modules::At(i);
      const uint32_t generation =
          gone.generation.load(std::memory_order_acquire);
      if (generation == 0 || gone.end == 0) continue;
      MappedModule module = {};
      module.start = gone.start;
      module.end = gone.end;
      module.bias = gone.bias;
      module.build_id_size = gone.build_id_size;
      static_assert(Module::kMaxBuildId <= kMaxBuildId);
      __builtin_memcpy(module.build_id, gone.build_id, gone.build_id_size);
      module.path = gone.path;
      module.path_size = TextLength(gone.path);
      PutModule(module, generation);
    }
  }

  // The first of two walks: how long the columns will be.
  static void CountBlock(void* self, const LiveBlock& block) {
    auto* writer = static_cast<SectionWriter*>(self);
    ++writer->block_count_;
    if (block.traceback == kSampledOut) {
      writer->sampled_out_ += Tally{1, block.requested, block.usable};
    }
  }

  void WriteNodes() {
    constexpr ColumnKind kKinds[] = {{format::kNodesParent, 4},
                                     {format::kNodesPc, 8}};
    const uint32_t count = TracebackTable::NodeCount();
    BeginColumns(kKinds, 2, count);
    for (NodeId id = 0; id < count; ++id) {
      const TracebackNode& node = TracebackTable::NodeAt(id);
      Put<uint32_t>(0, node.parent);
      Put<uint64_t>(1, node.pc.load(std::memory_order_relaxed));
    }
    EndColumns(kKinds, 2);
  }

  void PutTally(size_t first, const Tally& tally) {
    Put<uint64_t>(first, tally.blocks);
    Put<uint64_t>(first + 1, tally.requested);
    Put<uint64_t>(first + 2, tally.usable);
  }

  void PutTraceback(const TracebackRow& row) {
    Put<uint32_t>(0, row.node);
    PutTally(1, row.current);
    PutTally(4, row.ever);
    PutTally(7, row.own_peak);
    PutTally(10, row.at_peak);
    sums_.tracebacks += row.current;
  }

  void WriteTracebacks() {
    const uint32_t count = TracebackTable::TracebackCount();
    const TracebackRows rows(sampled_out_);
    BeginColumns(kTracebackColumns, kMaxColumns, count);
    for (TracebackId id = 0; id < count; ++id) PutTraceback(rows.At(id));
    EndColumns(kTracebackColumns, kMaxColumns);
  }

  void PutBlock(const LiveBlock& block) {
    Put<uint64_t>(0, block.address);
    Put<uint32_t>(1, block.traceback);
    Put<uint64_t>(2, block.requested);
    Put<uint64_t>(3, block.usable);
    Put<uint32_t>(4, block.epoch);
    sums_.side_headers += Tally{1, block.requested, block.usable};
  }

  void WriteBlocks() {
    BeginColumns(kBlockColumns, 5, block_count_);
    ForEachBlock(
        [](void* self, const LiveBlock& block) {
          auto* writer = static_cast<SectionWriter*>(self);
          // More than were counted: only if threads could not be stopped.
          if (writer->block_count_ == 0) return;
          --writer->block_count_;
          writer->PutBlock(block);
        },
        this);
    EndColumns(kBlockColumns, 5);
  }

  // Facts wait in shared memory; their room in the file is taken now, so that
  // a full disk shows here and not when the parent finishes the file.
  void WriteTail() {
    TextWriter facts(shared_->facts,
                     sizeof(shared_->facts) - kJemallocFactsBytes);
    WriteFacts(facts, shared_->moment, &sums_);
    shared_->facts_size = facts.size();
    shared_->tail_offset = AlignSection(offset_);
    __builtin_memset(workspace_->buffers, 0, kTailBytes);
    if (error_ != 0) return;
    error_ = file_.Write(workspace_->buffers, kTailBytes, shared_->tail_offset);
  }

  CaptureFile file_;
  CaptureShared* const shared_;
  Workspace* const workspace_;
  uint64_t offset_ = 0;
  uint64_t block_count_ = 0;
  Tally sampled_out_ = {};
  int error_ = 0;
  WalkedSums sums_ = {};
};

static_assert(kTailBytes <= kBufferBytes);

}  // namespace

int WriteSections(int fd, CaptureShared* shared) {
  // Not counted: it is the capture's, and the facts are about the process.
  void* memory = OwnMemory::Reserve(sizeof(Workspace));
  int error = ENOMEM;
  if (memory != nullptr) {
    auto* workspace = static_cast<Workspace*>(memory);
    error = SectionWriter(fd, shared, workspace).Run();
    OwnMemory::Discard(memory, sizeof(Workspace));
  }
  shared->error.store(error, std::memory_order_relaxed);
  shared->written.store(error == 0, std::memory_order_release);
  return error;
}

}  // namespace heaptally
