// What a program under heaptally and the tool say to each other over the
// control socket (AF_UNIX, SOCK_SEQPACKET, <directory>/<pid>.sock).
//
// A request is one datagram of text. Its first line is the command; `key=value`
// lines may follow, values escaped as in facts (control characters and '%' as
// %xx):
//
//   stat                 the facts about the process
//   record counters | record sampled=N | record all
//   reset-peak
//   snapshot             with one descriptor (SCM_RIGHTS) of a regular file
//     label=TEXT         that is open for writing
//
// Each gets one reply datagram, whose first line is `ok` or `error SENTENCE`;
// `key=value` lines follow an `ok`. A snapshot's reply may come after any
// number of `progress bytes=N`; its `ok` has pause_ns, duration_ns, bytes,
// epoch, quiesced and method.
//
// Constants only: safe everywhere.
#ifndef HEAPTALLY_INTEGRATION_CONTROL_PROTOCOL_H_
#define HEAPTALLY_INTEGRATION_CONTROL_PROTOCOL_H_

#include <cstddef>

namespace heaptally::control {

inline constexpr size_t kMaxRequest = 16 << 10;
inline constexpr size_t kMaxReply = 64 << 10;
inline constexpr int kProgressIntervalMs = 100;

inline constexpr char kStat[] = "stat";
inline constexpr char kRecord[] = "record ";
inline constexpr char kResetPeak[] = "reset-peak";
inline constexpr char kSnapshot[] = "snapshot";
inline constexpr char kLabel[] = "label=";

inline constexpr char kOk[] = "ok";
inline constexpr char kError[] = "error ";
inline constexpr char kProgress[] = "progress bytes=";

// Where sockets are: the option's directory, else $XDG_RUNTIME_DIR + this,
// else this + the user's number.
inline constexpr char kUnderRuntimeDir[] = "/heaptally";
inline constexpr char kUnderTmp[] = "/tmp/heaptally-";
inline constexpr char kSocketSuffix[] = ".sock";

}  // namespace heaptally::control

#endif  // HEAPTALLY_INTEGRATION_CONTROL_PROTOCOL_H_
