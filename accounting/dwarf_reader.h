// A bounded reader of the encodings that .eh_frame uses. Pure; never reads at
// or past its end: a read that would sets `ok` to false and gives 0.
#ifndef HEAPTALLY_ACCOUNTING_DWARF_READER_H_
#define HEAPTALLY_ACCOUNTING_DWARF_READER_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

class DwarfReader {
 public:
  DwarfReader(const uint8_t* begin, const uint8_t* end)
      : p_(begin), end_(end) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return p_ >= end_; }
  const uint8_t* position() const { return p_; }
  const uint8_t* end() const { return end_; }

  template <typename T>
  T Fixed() {
    T value = 0;
    if (static_cast<size_t>(end_ - p_) < sizeof(T)) {
      Fail();
      return 0;
    }
    __builtin_memcpy(&value, p_, sizeof(T));
    p_ += sizeof(T);
    return value;
  }

  uint64_t Uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t byte = Fixed<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  int64_t Sleb() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
      byte = Fixed<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
    } while ((byte & 0x80) != 0);
    if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }

  void Skip(uint64_t bytes) {
    if (static_cast<uint64_t>(end_ - p_) < bytes) {
      Fail();
    } else {
      p_ += bytes;
    }
  }

  // A pointer with a DW_EH_PE encoding; `data_base` is what datarel means.
  uintptr_t Encoded(uint8_t encoding, uintptr_t data_base) {
    if (encoding == kOmit) return 0;
    const uintptr_t here = reinterpret_cast<uintptr_t>(p_);
    const uintptr_t value = EncodedValue(encoding & 0x0f);
    if (value == 0) return 0;
    uintptr_t result = value;
    switch (encoding & 0x70) {
      case 0x00:
        break;
      case 0x10:
        result += here;
        break;
      case 0x30:
        result += data_base;
        break;
      default:
        Fail();
        return 0;
    }
    if ((encoding & 0x80) != 0) {
      result = *reinterpret_cast<const uintptr_t*>(result);
    }
    return result;
  }

  static constexpr uint8_t kOmit = 0xff;

 private:
  uintptr_t EncodedValue(uint8_t format) {
    switch (format) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return Fixed<uint64_t>();
      case 0x01:
        return Uleb();
      case 0x02:
        return Fixed<uint16_t>();
      case 0x03:
        return Fixed<uint32_t>();
      case 0x09:
        return static_cast<uintptr_t>(Sleb());
      case 0x0a:
        return static_cast<uintptr_t>(intptr_t{Fixed<int16_t>()});
      case 0x0b:
        return static_cast<uintptr_t>(intptr_t{Fixed<int32_t>()});
      default:
        Fail();
        return 0;
    }
  }

  void Fail() {
    ok_ = false;
    p_ = end_;
  }

  const uint8_t* p_;
  const uint8_t* end_;
  bool ok_ = true;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_DWARF_READER_H_
