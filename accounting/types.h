// The ids and reasons that all layers share. Plain values: safe everywhere.
#ifndef HEAPTALLY_ACCOUNTING_TYPES_H_
#define HEAPTALLY_ACCOUNTING_TYPES_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

// Identifies an interned traceback (a leaf of the calling-context tree that
// has allocated) or, below kFirstTraceback, says why a block has none.
using TracebackId = uint32_t;

// Identifies a node of the calling-context tree. Ids below kFirstNode are the
// roots, one for each way a walk can end.
using NodeId = uint32_t;

inline constexpr TracebackId kNoBlock = 0;
inline constexpr TracebackId kFirstTraceback = 16;
inline constexpr NodeId kFirstNode = 16;

// Why a block carries no traceback; the values are stored in side headers.
enum Reason : TracebackId {
  kBeforeRecording = 1,
  kSampledOut = 2,
  kBelowMinSize = 3,
  kWalkFailed = 4,
  kTableFull = 5,
  kInSignalHandler = 6,
};
inline constexpr TracebackId kReasonEnd = 7;

// How a walk ended; the value is the id of the root that its frames hang from.
enum class WalkEnd : NodeId {
  kComplete = 1,
  kDepthLimit = 2,
  kNoRule = 3,
  kBadFrame = 4,
  kForeignStack = 5,
};
inline constexpr NodeId kWalkEndEnd = 6;

// A frame of the program as it stands when one of our entry points was called:
// where it goes on (`pc`, the return address), its stack pointer once we have
// returned (`sp`), and its frame-pointer register (`fp`).
struct CallerContext {
  uintptr_t pc;
  uintptr_t sp;
  uintptr_t fp;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_TYPES_H_
