// Finds and reads the entry of .eh_frame that covers an address. Reads only the
// tables of a loaded object; pure otherwise.
#ifndef HEAPTALLY_ACCOUNTING_EH_FRAME_ENTRY_H_
#define HEAPTALLY_ACCOUNTING_EH_FRAME_ENTRY_H_

#include <cstdint>

#include "accounting/eh_frame.h"

namespace heaptally {

// Common information entry: what many functions share.
struct Cie {
  uint64_t code_align = 1;
  int64_t data_align = 1;
  uint64_t return_register = kRegReturn;
  uint8_t pointer_encoding = 0;
  bool has_augmentation_data = false;
  bool signal_frame = false;
  const uint8_t* program = nullptr;
  const uint8_t* end = nullptr;
};

// Frame description entry: one function, or a part of one.
struct Fde {
  uintptr_t begin = 0;
  uintptr_t size = 0;
  const uint8_t* program = nullptr;
  const uint8_t* end = nullptr;
};

// Finds the entry that covers `address` by the table whose .eh_frame_hdr is at
// `header`. False if there is none, or none that we can read.
bool FindFrameEntry(const uint8_t* header, uintptr_t address, Cie& cie,
                    Fde& fde);

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_EH_FRAME_ENTRY_H_
