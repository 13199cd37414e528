// The client of debuginfod servers, loaded only when it is asked for, so that
// the tool neither needs the library nor touches the network by itself.
#ifndef HEAPTALLY_SNAPSHOT_DEBUGINFOD_H_
#define HEAPTALLY_SNAPSHOT_DEBUGINFOD_H_

#include <string>

namespace heaptally {

// A descriptor of the debug file for `build_id` (hex), and its `path` in the
// client's cache; -1 if the client library is not installed, DEBUGINFOD_URLS is
// not set, or no server has it. Blocks for the client's time-out (90 s by its
// own default, DEBUGINFOD_TIMEOUT).
int DebuginfodFind(const std::string& build_id, std::string& path);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_DEBUGINFOD_H_
