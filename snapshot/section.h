// The sections of a `.heaptally` file: their names, element sizes and which
// belong together. A constant table; safe everywhere.
#ifndef HEAPTALLY_SNAPSHOT_SECTION_H_
#define HEAPTALLY_SNAPSHOT_SECTION_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace heaptally {

// Columns of one group have one count, except where kAlone.
enum class SectionGroup { kAlone, kNodes, kTracebacks, kBlocks, kFrames };

struct SectionInfo {
  uint32_t kind;
  absl::string_view name;
  uint32_t element_size;
  SectionGroup group;
  bool mandatory;  // A file without it is refused.
};

// All that this version knows, by ascending kind.
absl::Span<const SectionInfo> KnownSections();
// Null if this version does not know the kind.
const SectionInfo* FindSection(uint32_t kind);
// Its name, or "0x00a0" for one that this version does not know.
std::string SectionName(uint32_t kind);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_SECTION_H_
