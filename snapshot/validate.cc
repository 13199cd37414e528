#include "snapshot/validate.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "snapshot/section.h"

namespace heaptally {
namespace {

using format::SectionEntry;

// The first index at which `bad` holds, or the size. `bad` is evaluated for
// whole stretches without a branch, which compilers vectorise.
template <typename Bad>
size_t FirstBad(size_t begin, size_t size, Bad bad) {
  constexpr size_t kStretch = 4096;
  for (size_t i = begin; i < size; i += kStretch) {
    const size_t end = std::min(size, i + kStretch);
    bool any = false;
    for (size_t j = i; j < end; ++j) any |= bad(j);
    if (!any) continue;
    for (size_t j = i; j < end; ++j) {
      if (bad(j)) return j;
    }
  }
  return size;
}

absl::Status ValidateFacts(const SectionFile& file, const KeyValues& facts) {
  static constexpr absl::string_view kNumbers[] = {"pid",
                                                   "ppid",
                                                   "uid",
                                                   "started_ns",
                                                   "taken_ns",
                                                   "sample_interval",
                                                   "depth_limit",
                                                   "min_size",
                                                   "epoch",
                                                   "peak_bound",
                                                   "threads",
                                                   "cached_blocks",
                                                   "rss",
                                                   "foreign_frees",
                                                   "foreign_reallocs",
                                                   "nested_allocations",
                                                   "epoch_saturated",
                                                   "tracebacks_count",
                                                   "nodes_count",
                                                   "table_full_blocks",
                                                   "walks_verified",
                                                   "walks_different"};
  static constexpr absl::string_view kNumberGroups[] = {
      "current.",      "peak.",       "ever.",     "own.",
      "side_headers.", "tracebacks.", "jemalloc.", "walks."};
  const SectionEntry& entry = *file.Find(format::kFacts);
  for (const absl::string_view key : {"process_id", "epoch", "mode"}) {
    if (facts.Text(key).empty()) {
      return file.Fault(entry, absl::StrCat("it does not say ", key));
    }
  }
  const absl::string_view mode = facts.Text("mode");
  if (mode != "counters" && mode != "sampled" && mode != "all") {
    return file.Fault(entry, "its mode is not counters, sampled or all");
  }
  if (facts.Number("epoch") > UINT32_MAX) {
    return file.Fault(entry, "its epoch is beyond 32 bits");
  }
  for (const auto& [key, value] : facts.entries()) {
    bool number = std::find(std::begin(kNumbers), std::end(kNumbers), key) !=
                  std::end(kNumbers);
    for (const absl::string_view group : kNumberGroups) {
      number |= absl::StartsWith(key, group);
    }
    if (number && facts.IsBadNumber(key)) {
      return file.Fault(entry, absl::StrCat("its ", key, " is no number"));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateRecording(const SectionFile& file,
                               const Column<format::RecordingEntry>& rows) {
  const SectionEntry* entry = file.Find(format::kRecording);
  if (entry == nullptr) return absl::OkStatus();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].mode > format::kAll) {
      return file.ElementFault(
          *entry, i, absl::StrCat("has the unknown mode ", rows[i].mode));
    }
    if (rows[i].mode == format::kSampled && rows[i].sample_interval == 0) {
      return file.ElementFault(*entry, i, "samples every 0 bytes");
    }
    if (i > 0 && rows[i].epoch < rows[i - 1].epoch) {
      return file.ElementFault(*entry, i, "is older than the one before it");
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateNodes(const SectionFile& file, const Nodes& nodes) {
  const SectionEntry& entry = *file.Find(format::kNodesParent);
  const uint32_t* parent = nodes.parent.data();
  const size_t size = nodes.size();
  const size_t roots = std::min<size_t>(size, format::kFirstId);
  if (size > UINT32_MAX) return file.Fault(entry, "it has too many nodes");
  size_t bad = FirstBad(0, roots, [&](size_t i) { return parent[i] != 0; });
  if (bad < roots) {
    return file.ElementFault(
        entry, bad, absl::StrCat("is a root with the parent ", parent[bad]));
  }
  bad = FirstBad(roots, size, [&](size_t i) { return parent[i] >= i; });
  if (bad < size) {
    return file.ElementFault(entry, bad,
                             absl::StrCat("has the parent ", parent[bad],
                                          ", which does not come before it"));
  }
  return absl::OkStatus();
}

absl::Status ValidateTracebacks(const SectionFile& file,
                                const Snapshot& snapshot) {
  const SectionEntry& entry = *file.Find(format::kTracebacksNode);
  const uint32_t* node = snapshot.tracebacks.node.data();
  const size_t size = snapshot.tracebacks.size();
  const size_t nodes = snapshot.nodes.size();
  const size_t reasons = std::min<size_t>(size, format::kFirstId);
  if (size > UINT32_MAX) return file.Fault(entry, "it has too many tracebacks");
  size_t bad = FirstBad(0, reasons, [&](size_t i) { return node[i] != 0; });
  if (bad < reasons) {
    return file.ElementFault(
        entry, bad, absl::StrCat("is a reason with the node ", node[bad]));
  }
  bad = FirstBad(reasons, size,
                 [&](size_t i) { return node[i] >= nodes && node[i] != 0; });
  if (bad < size) {
    return file.ElementFault(
        entry, bad,
        absl::StrCat("has the node ", node[bad], " of ", nodes, " nodes"));
  }
  return absl::OkStatus();
}

absl::Status ValidateBlocks(const SectionFile& file, const Snapshot& snapshot) {
  const Blocks& blocks = snapshot.blocks;
  const size_t size = blocks.size();
  const uint64_t* address = blocks.address.data();
  size_t bad =
      FirstBad(1, size, [&](size_t i) { return address[i] <= address[i - 1]; });
  if (size > 1 && bad < size) {
    return file.ElementFault(
        *file.Find(format::kBlocksAddress), bad,
        absl::StrCat("is 0x", absl::Hex(address[bad]),
                     ", which is not above the one before it, 0x",
                     absl::Hex(address[bad - 1])));
  }
  const uint32_t* traceback = blocks.traceback.data();
  const size_t tracebacks = snapshot.tracebacks.size();
  bad = FirstBad(0, size, [&](size_t i) {
    return (traceback[i] == 0) | (traceback[i] >= tracebacks);
  });
  if (bad < size) {
    return file.ElementFault(*file.Find(format::kBlocksTraceback), bad,
                             absl::StrCat("has the traceback ", traceback[bad],
                                          " of ", tracebacks, " tracebacks"));
  }
  const uint64_t* requested = blocks.requested.data();
  const uint64_t* usable = blocks.usable.data();
  bad = FirstBad(0, size, [&](size_t i) { return requested[i] > usable[i]; });
  if (bad < size) {
    return file.ElementFault(
        *file.Find(format::kBlocksRequested), bad,
        absl::StrCat("asked for ", requested[bad], " bytes of a block of ",
                     usable[bad]));
  }
  return absl::OkStatus();
}

absl::Status ValidateNameColumns(const SectionFile& file, const Names& names) {
  const SectionEntry& strings_entry = *file.Find(format::kStrings);
  const size_t strings = names.strings.size();
  if (strings == 0 || names.strings[0] != 0 ||
      names.strings[strings - 1] != 0) {
    return file.Fault(strings_entry, "it does not begin and end with a zero");
  }
  const SectionEntry& begin_entry = *file.Find(format::kLocationBegin);
  const uint32_t* begin = names.location_begin.data();
  const size_t begins = names.location_begin.size();
  if (begins == 0 || begin[0] != 0 ||
      begin[begins - 1] != names.function.size()) {
    return file.Fault(begin_entry,
                      absl::StrCat("its locations do not cover the ",
                                   names.function.size(), " frames"));
  }
  size_t bad =
      FirstBad(1, begins, [&](size_t i) { return begin[i] < begin[i - 1]; });
  if (begins > 1 && bad < begins) {
    return file.ElementFault(begin_entry, bad,
                             "is smaller than the one before it");
  }
  const uint32_t* location = names.node_location.data();
  const size_t nodes = names.node_location.size();
  bad = FirstBad(0, nodes, [&](size_t i) { return location[i] >= begins - 1; });
  if (bad < nodes) {
    return file.ElementFault(*file.Find(format::kNodeLocation), bad,
                             absl::StrCat("is the location ", location[bad],
                                          " of ", begins - 1, " locations"));
  }
  const std::pair<uint32_t, const Column<uint32_t>*> offsets[] = {
      {format::kFrameFunction, &names.function},
      {format::kFrameFile, &names.file},
      {format::kFrameModule, &names.module}};
  for (const auto& [kind, column] : offsets) {
    const uint32_t* offset = column->data();
    bad = FirstBad(0, column->size(),
                   [&](size_t i) { return offset[i] >= strings; });
    if (bad < column->size()) {
      return file.ElementFault(
          *file.Find(kind), bad,
          absl::StrCat("is the string ", offset[bad], " of ", strings,
                       " bytes of strings"));
    }
  }
  return absl::OkStatus();
}

bool IsNames(uint32_t kind) {
  return kind >= format::kStrings && kind <= format::kFrameModule;
}

}  // namespace

absl::Status ValidateCounts(const SectionFile& file) {
  const bool named = file.Find(format::kLocationBegin) != nullptr;
  const SectionEntry* first_of[5] = {};
  for (const SectionInfo& info : KnownSections()) {
    const SectionEntry* entry = file.Find(info.kind);
    if (entry == nullptr) {
      if (!info.mandatory && !(named && IsNames(info.kind))) continue;
      return absl::DataLossError(
          absl::StrCat(file.path(), ": section table at offset ",
                       file.header().section_table_offset, ": section ",
                       info.name, " is missing; ", kTakeAgain));
    }
    if (!named && IsNames(info.kind)) {
      return file.Fault(*entry, "it stands without names.location_begin");
    }
    if (info.group == SectionGroup::kAlone) continue;
    const SectionEntry*& first = first_of[static_cast<size_t>(info.group)];
    if (first == nullptr) first = entry;
    if (entry->count != first->count) {
      return file.Fault(
          *entry,
          absl::StrCat("it has ", entry->count, " elements where ",
                       SectionName(first->kind), " has ", first->count));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateContent(const SectionFile& file,
                             const Snapshot& snapshot) {
  if (absl::Status s = ValidateFacts(file, snapshot.facts); !s.ok()) return s;
  if (absl::Status s = ValidateRecording(file, snapshot.recording); !s.ok()) {
    return s;
  }
  if (absl::Status s = ValidateNodes(file, snapshot.nodes); !s.ok()) return s;
  if (absl::Status s = ValidateTracebacks(file, snapshot); !s.ok()) return s;
  if (absl::Status s = ValidateBlocks(file, snapshot); !s.ok()) return s;
  if (file.Find(format::kLocationBegin) == nullptr) return absl::OkStatus();
  return ValidateNameColumns(file, snapshot.names);
}

}  // namespace heaptally
