#include "snapshot/packer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "snapshot/reader.h"

namespace heaptally {
namespace {

// Distinct return addresses, ascending, without those of roots.
std::vector<uint64_t> DistinctPcs(const Nodes& nodes) {
  std::vector<uint64_t> pcs;
  if (nodes.size() > format::kFirstId) {
    pcs.assign(nodes.pc.begin() + format::kFirstId, nodes.pc.end());
  }
  std::sort(pcs.begin(), pcs.end());
  pcs.erase(std::unique(pcs.begin(), pcs.end()), pcs.end());
  if (!pcs.empty() && pcs.front() == 0) pcs.erase(pcs.begin());
  return pcs;
}

}  // namespace

absl::Status AddNames(Snapshot& snapshot, Namer& namer) {
  const std::vector<uint64_t> pcs = DistinctPcs(snapshot.nodes);
  NameTable table;
  table.AddLocation({});  // Location 0: of roots, without frames.
  absl::Status status = namer.Name(snapshot.modules, pcs, table);
  if (!status.ok()) return status;
  if (table.locations() != pcs.size() + 1) {
    return absl::InternalError(
        absl::StrCat("the namer gave ", table.locations() - 1,
                     " locations for ", pcs.size(), " addresses"));
  }
  std::vector<uint32_t> node_location(snapshot.nodes.size(), 0);
  for (size_t i = format::kFirstId; i < node_location.size(); ++i) {
    const uint64_t pc = snapshot.nodes.pc[i];
    if (pc == 0) continue;
    const auto found = std::lower_bound(pcs.begin(), pcs.end(), pc);
    node_location[i] = static_cast<uint32_t>(found - pcs.begin()) + 1;
  }
  snapshot.names = Names::FromTable(std::move(table));
  snapshot.names.node_location = std::move(node_location);
  return absl::OkStatus();
}

absl::Status PackFile(const std::string& path, Namer& namer,
                      const WriteOptions& options) {
  absl::StatusOr<Snapshot> snapshot = ReadSnapshot(path);
  if (!snapshot.ok()) return snapshot.status();
  if (snapshot->names.present()) return absl::OkStatus();
  const absl::Status status = AddNames(*snapshot, namer);
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat("cannot name ", path, ": ",
                                                    status.message()));
  }
  return WriteSnapshot(*snapshot, path, options);
}

}  // namespace heaptally
