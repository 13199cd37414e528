#include "snapshot/names.h"

#include <utility>

namespace heaptally {

absl::string_view FrameTable::Keep(absl::string_view text) {
  const auto found = kept_.find(text);
  if (found != kept_.end()) return found->second;
  storage_.emplace_back(text);
  const absl::string_view kept = storage_.back();
  kept_.emplace(kept, kept);
  return kept;
}

uint32_t FrameTable::Intern(const Frame& frame) {
  const auto found = ids_.find(frame);
  if (found != ids_.end()) return found->second;
  Frame kept = frame;
  kept.function = Keep(frame.function);
  kept.file = Keep(frame.file);
  kept.module = Keep(frame.module);
  const auto id = static_cast<uint32_t>(frames_.size());
  frames_.push_back(kept);
  ids_.emplace(kept, id);
  return id;
}

namespace {

// The frames of one return address, appended to `refs`.
void AppendFrames(const Names& names, uint32_t location, uint64_t pc,
                  const ModuleMap& modules, FrameTable& table,
                  std::vector<FrameRef>& refs) {
  const Module* module = modules.Find(pc);
  const std::string fallback = ModuleOffsetName(module, pc);
  const absl::string_view module_name =
      module == nullptr ? absl::string_view() : Basename(module->path);
  const uint32_t begin = names.present() ? names.location_begin[location] : 0;
  const uint32_t end = names.present() ? names.location_begin[location + 1] : 0;
  for (uint32_t i = begin; i < end; ++i) {
    Frame frame;
    frame.function = names.String(names.function[i]);
    frame.file = names.String(names.file[i]);
    frame.line = names.line[i];
    frame.module = names.String(names.module[i]);
    frame.resolved = !frame.function.empty();
    if (!frame.resolved) frame.function = fallback;
    refs.push_back(
        {table.Intern(frame), (names.flags[i] & format::kFrameInlined) != 0});
  }
  if (begin != end) return;
  Frame frame;
  frame.function = fallback;
  frame.module = module_name;
  refs.push_back({table.Intern(frame), false});
}

}  // namespace

SnapshotFrames::SnapshotFrames(const Snapshot& snapshot, FrameTable& table)
    : parent_(snapshot.nodes.parent),
      leaf_(snapshot.tracebacks.node),
      node_slot_(snapshot.nodes.size()) {
  const ModuleMap modules(snapshot.modules);
  const Names& names = snapshot.names;
  absl::flat_hash_map<std::pair<uint64_t, uint32_t>, Slot> slots;
  for (size_t node = format::kFirstId; node < node_slot_.size(); ++node) {
    const uint64_t pc = snapshot.nodes.pc[node];
    const uint32_t location = names.present() ? names.node_location[node] : 0;
    const auto [entry, is_new] = slots.try_emplace({pc, location});
    if (is_new) {
      entry->second.begin = static_cast<uint32_t>(refs_.size());
      AppendFrames(names, location, pc, modules, table, refs_);
      entry->second.count =
          static_cast<uint32_t>(refs_.size()) - entry->second.begin;
    }
    node_slot_[node] = entry->second;
  }
}

absl::Span<const FrameRef> SnapshotFrames::OfNode(uint32_t node) const {
  if (node >= node_slot_.size()) return {};
  const Slot slot = node_slot_[node];
  return absl::MakeConstSpan(refs_).subspan(slot.begin, slot.count);
}

void SnapshotFrames::AppendTraceback(uint32_t traceback,
                                     std::vector<FrameRef>& out) const {
  if (traceback >= leaf_.size()) return;
  for (uint32_t node = leaf_[traceback]; node >= format::kFirstId;
       node = parent_[node]) {
    const absl::Span<const FrameRef> frames = OfNode(node);
    out.insert(out.end(), frames.begin(), frames.end());
  }
}

std::vector<FrameRef> SnapshotFrames::OfTraceback(uint32_t traceback) const {
  std::vector<FrameRef> frames;
  AppendTraceback(traceback, frames);
  return frames;
}

uint32_t SnapshotFrames::RootOfTraceback(uint32_t traceback) const {
  if (traceback >= leaf_.size()) return 0;
  uint32_t node = leaf_[traceback];
  while (node >= format::kFirstId) node = parent_[node];
  return node;
}

}  // namespace heaptally
