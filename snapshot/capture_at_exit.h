// The snapshot at the end of the program (option at_exit), named and packed by
// the tool if option packer names it. Nothing here changes the program's exit
// status: a failure is one sentence on stderr.
#ifndef HEAPTALLY_SNAPSHOT_CAPTURE_AT_EXIT_H_
#define HEAPTALLY_SNAPSHOT_CAPTURE_AT_EXIT_H_

namespace heaptally {

// Notes the working directory, for a relative file name, and the process, for
// fork children. Once, at the start of the program, after LoadOptions().
void InitCaptureAtExit();

// From the runtime's last destructor. Nothing without the option, and nothing
// in a fork child unless the name has %p.
void CaptureAtExit();

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_CAPTURE_AT_EXIT_H_
