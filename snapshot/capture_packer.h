// Runs the tool on a finished snapshot from inside the ending program, which
// sees neither a child nor a SIGCHLD of it. System calls only.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_PACKER_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_PACKER_H_

namespace heaptally {

// `PROGRAM pack FILE`, and waits for it. A failure is one sentence on stderr.
void RunPacker(const char* program, const char* file);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_PACKER_H_
