// Bounded text in a buffer of the caller, without the C library. What does not
// fit is cut off and remembered (see cut()); the text is never terminated by a
// NUL. Safe in every thread, signal handler and child; one writer serves one
// thread at a time.
#ifndef HEAPTALLY_ACCOUNTING_TEXT_WRITER_H_
#define HEAPTALLY_ACCOUNTING_TEXT_WRITER_H_

#include <cstddef>
#include <cstdint>

namespace heaptally {

inline size_t TextLength(const char* s) {
  size_t n = 0;
  while (s[n] != '\0') ++n;
  return n;
}

class TextWriter {
 public:
  TextWriter(char* buffer, size_t capacity)
      : data_(buffer), capacity_(capacity) {}

  const char* data() const { return data_; }
  size_t size() const { return size_; }
  bool cut() const { return cut_; }

  TextWriter& Char(char c) {
    if (size_ < capacity_) {
      data_[size_++] = c;
    } else {
      cut_ = true;
    }
    return *this;
  }

  TextWriter& Text(const char* s) { return Bytes(s, TextLength(s)); }

  TextWriter& Bytes(const char* s, size_t n) {
    for (size_t i = 0; i < n; ++i) Char(s[i]);
    return *this;
  }

  TextWriter& Unsigned(uint64_t value) {
    char digits[20];
    size_t n = 0;
    do {
      digits[n++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    while (n != 0) Char(digits[--n]);
    return *this;
  }

  // Lower-case digits without 0x, at least `width` of them.
  TextWriter& Hex(uint64_t value, int width = 1) {
    int digits = 16;
    while (digits > width && (value >> (4 * (digits - 1))) == 0) --digits;
    while (digits-- > 0) Char("0123456789abcdef"[(value >> (4 * digits)) & 15]);
    return *this;
  }

  // As a value of `key=value` lines: control characters and '%' become %xx.
  TextWriter& Escaped(const char* s, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      const unsigned char c = static_cast<unsigned char>(s[i]);
      if (c < 0x20 || c == '%' || c == 0x7f) {
        Char('%').Hex(c, 2);
      } else {
        Char(s[i]);
      }
    }
    return *this;
  }

  TextWriter& Fact(const char* key, uint64_t value) {
    return Text(key).Char('=').Unsigned(value).Char('\n');
  }

  TextWriter& Fact(const char* key, const char* value) {
    return Fact(key, value, TextLength(value));
  }

  TextWriter& Fact(const char* key, const char* value, size_t n) {
    return Text(key).Char('=').Escaped(value, n).Char('\n');
  }

 private:
  char* const data_;
  const size_t capacity_;
  size_t size_ = 0;
  bool cut_ = false;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_TEXT_WRITER_H_
