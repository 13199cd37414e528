#include "accounting/eh_frame_entry.h"

#include "accounting/dwarf_reader.h"

namespace heaptally {
namespace {

constexpr uint8_t kTableEncoding = 0x3b;  // datarel | sdata4: what ld writes

// The contents of the entry at `p`, after its length.
DwarfReader OpenEntry(const uint8_t* p) {
  uint32_t length32;
  __builtin_memcpy(&length32, p, sizeof(length32));
  p += sizeof(length32);
  uint64_t length = length32;
  if (length32 == 0xffffffff) {
    __builtin_memcpy(&length, p, sizeof(length));
    p += sizeof(length);
  }
  return DwarfReader(p, p + length);
}

bool ParseAugmentation(const char* letters, DwarfReader& reader, Cie& cie) {
  if (*letters == '\0') return true;
  if (*letters != 'z') return false;
  cie.has_augmentation_data = true;
  const uint64_t size = reader.Uleb();
  const uint8_t* data = reader.position();
  reader.Skip(size);
  if (!reader.ok()) return false;
  DwarfReader inner(data, data + size);
  for (const char* c = letters + 1; *c != '\0'; ++c) {
    switch (*c) {
      case 'R':
        cie.pointer_encoding = inner.Fixed<uint8_t>();
        break;
      case 'L':
        inner.Fixed<uint8_t>();
        break;
      case 'P': {
        const uint8_t encoding = inner.Fixed<uint8_t>();
        inner.Encoded(encoding & 0x7f, 0);  // read over, not followed
        break;
      }
      case 'S':
        cie.signal_frame = true;
        break;
      case 'B':
      case 'G':
        break;
      default:
        return inner.ok();  // the size tells where the program begins
    }
  }
  return inner.ok();
}

bool ParseCie(const uint8_t* p, Cie& cie) {
  DwarfReader reader = OpenEntry(p);
  if (reader.Fixed<uint32_t>() != 0) return false;
  const uint8_t version = reader.Fixed<uint8_t>();
  if (version != 1 && version != 3 && version != 4) return false;
  const char* letters = reinterpret_cast<const char*>(reader.position());
  while (reader.Fixed<uint8_t>() != 0) {
  }
  if (version == 4) reader.Skip(2);
  cie.code_align = reader.Uleb();
  cie.data_align = reader.Sleb();
  cie.return_register = version == 1 ? reader.Fixed<uint8_t>() : reader.Uleb();
  if (!reader.ok() || !ParseAugmentation(letters, reader, cie)) return false;
  cie.program = reader.position();
  cie.end = reader.end();
  return reader.ok();
}

bool ParseFde(const uint8_t* p, Cie& cie, Fde& fde) {
  DwarfReader reader = OpenEntry(p);
  const uint8_t* cie_field = reader.position();
  const uint32_t delta = reader.Fixed<uint32_t>();
  if (!reader.ok() || delta == 0 || !ParseCie(cie_field - delta, cie)) {
    return false;
  }
  fde.begin = reader.Encoded(cie.pointer_encoding, 0);
  fde.size = reader.Encoded(cie.pointer_encoding & 0x0f, 0);
  if (cie.has_augmentation_data) reader.Skip(reader.Uleb());
  fde.program = reader.position();
  fde.end = reader.end();
  return reader.ok();
}

// Finds the entry with the greatest start at or below `address`.
const uint8_t* SearchTable(const uint8_t* header, uintptr_t address) {
  if (header == nullptr || header[0] != 1 || header[3] != kTableEncoding) {
    return nullptr;
  }
  const uintptr_t base = reinterpret_cast<uintptr_t>(header);
  DwarfReader reader(header + 4, header + 64);
  reader.Encoded(header[1], base);
  const uintptr_t count = reader.Encoded(header[2], base);
  struct Entry {
    int32_t start;
    int32_t fde;
  };
  const Entry* table = reinterpret_cast<const Entry*>(reader.position());
  const int64_t key = static_cast<int64_t>(address - base);
  if (!reader.ok() || count == 0 || key < table[0].start) return nullptr;
  uintptr_t low = 0;
  uintptr_t high = count;
  while (high - low > 1) {
    const uintptr_t middle = low + (high - low) / 2;
    if (table[middle].start <= key) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return header + table[low].fde;
}

}  // namespace

bool FindFrameEntry(const uint8_t* header, uintptr_t address, Cie& cie,
                    Fde& fde) {
  const uint8_t* entry = SearchTable(header, address);
  return entry != nullptr && ParseFde(entry, cie, fde) &&
         address - fde.begin < fde.size;
}

}  // namespace heaptally
