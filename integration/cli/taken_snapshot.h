// What `snapshot` tells of the one it has taken. Pure functions.
#ifndef HEAPTALLY_INTEGRATION_CLI_TAKEN_SNAPSHOT_H_
#define HEAPTALLY_INTEGRATION_CLI_TAKEN_SNAPSHOT_H_

#include <cstdint>
#include <ostream>
#include <string>

#include "integration/control/client.h"
#include "snapshot/measure.h"

namespace heaptally::cli {

struct TakenSnapshot {
  std::string file;
  uint64_t file_bytes = 0;
  uint64_t pid = 0;
  std::string command;
  std::string label;
  Measure sum;  // the live blocks
  bool balanced = false;
  control::SnapshotReply capture;
};

std::string TakenForPeople(const TakenSnapshot& taken);
void TakenJson(const TakenSnapshot& taken, std::ostream& out);

// The steps of the progress line.
std::string CapturingLine(uint64_t bytes);
std::string NamingLine(uint64_t addresses);

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_TAKEN_SNAPSHOT_H_
