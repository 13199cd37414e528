// The eight bytes that the books keep for each small block, beside the heap and
// never in it. Zero: no live block. Plain values; who may write one is the
// thread that owns the block.
#ifndef HEAPTALLY_ALLOCATOR_SIDE_HEADER_H_
#define HEAPTALLY_ALLOCATOR_SIDE_HEADER_H_

#include <cstdint>

#include "accounting/recording.h"
#include "accounting/traceback_table.h"
#include "accounting/types.h"
#include "allocator/size_class.h"

namespace heaptally {

// Fields, from the lowest bit: traceback id, slop (block's usable bytes −
// requested), tiny (the block is of kTinyBin, though its page says 16 bytes),
// birth epoch.
class SideHeader {
 public:
  static constexpr unsigned kTracebackBits = 28;
  static constexpr unsigned kSlopBits = 14;
  static constexpr unsigned kTinyBit = kTracebackBits + kSlopBits;
  static constexpr unsigned kEpochShift = kTinyBit + 1;

  constexpr explicit SideHeader(uint64_t word) : word_(word) {}

  // `room` is SlopBase(bin) − requested.
  static constexpr SideHeader Make(TracebackId id, uint64_t room,
                                   uint32_t epoch) {
    return SideHeader(id | room << kTracebackBits |
                      uint64_t{epoch} << kEpochShift);
  }

  // From what one subtracts the request to get slop and tiny bit at once.
  static constexpr uint32_t SlopBase(uint32_t bin) {
    return BinUsable(bin) + (bin == kTinyBin ? 1u << kSlopBits : 0);
  }

  constexpr uint64_t word() const { return word_; }
  constexpr bool is_block() const { return word_ != 0; }
  // A block with the traceback kBeforeRecording.
  constexpr bool is_unrecorded() const {
    return ((word_ - kBeforeRecording) & ((1u << kTracebackBits) - 1)) == 0;
  }
  constexpr TracebackId traceback() const {
    return static_cast<TracebackId>(word_ & ((1u << kTracebackBits) - 1));
  }
  constexpr uint32_t slop() const {
    return static_cast<uint32_t>(word_ >> kTracebackBits) &
           ((1u << kSlopBits) - 1);
  }
  constexpr uint32_t tiny() const {
    return static_cast<uint32_t>(word_ >> kTinyBit) & 1;
  }
  constexpr uint32_t epoch() const {
    return static_cast<uint32_t>(word_ >> kEpochShift);
  }

 private:
  uint64_t word_;
};

static_assert(sizeof(SideHeader) == 8);
static_assert(TracebackTable::kMaxTracebacks <
              1u << SideHeader::kTracebackBits);
static_assert(Recording::kMaxEpoch < uint64_t{1}
                                         << (64 - SideHeader::kEpochShift));
static_assert(kMaxSmall < 1u << SideHeader::kSlopBits);
static_assert(kTinyBin + 1 == kFirstClassBin);

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_SIDE_HEADER_H_
