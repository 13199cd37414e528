#include "snapshot/json_writer.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "snapshot/utf8.h"

namespace heaptally {

void JsonWriter::NewLine() {
  out_ << '\n';
  for (size_t i = 0; i < levels_.size(); ++i) out_ << ' ';
}

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ << (level.flat ? ", " : ",");
  if (!level.flat) NewLine();
  level.empty = false;
}

JsonWriter& JsonWriter::Key(absl::string_view key) {
  String(key);
  out_ << ": ";
  after_key_ = true;
  return *this;
}

void JsonWriter::Begin(char bracket, bool flat) {
  Separate();
  const bool inherited = !levels_.empty() && levels_.back().flat;
  levels_.push_back({flat || inherited});
  out_ << bracket;
}

void JsonWriter::End(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.flat && !level.empty) NewLine();
  out_ << bracket;
  if (levels_.empty()) out_ << '\n';
}

void JsonWriter::String(absl::string_view text) {
  Separate();
  buffer_.assign(1, '"');
  while (!text.empty()) {
    const Utf8Character c = NextCharacter(text);
    if (!c.valid) {
      buffer_ += "\xef\xbf\xbd";
    } else if (text[0] == '"' || text[0] == '\\') {
      buffer_ += '\\';
      buffer_ += text[0];
    } else if (static_cast<unsigned char>(text[0]) < 0x20) {
      absl::StrAppendFormat(&buffer_, "\\u%04x", text[0]);
    } else {
      buffer_.append(text.data(), c.size);
    }
    text.remove_prefix(c.size);
  }
  buffer_ += '"';
  out_ << buffer_;
}

void JsonWriter::Number(uint64_t number) {
  Separate();
  out_ << absl::StrCat(number);
}

void JsonWriter::Signed(int64_t number) {
  Separate();
  out_ << absl::StrCat(number);
}

void JsonWriter::Real(double number) {
  Separate();
  if (std::isfinite(number)) {
    out_ << absl::StrFormat("%.12g", number);
  } else {
    out_ << "null";
  }
}

void JsonWriter::Bool(bool value) {
  Separate();
  out_ << (value ? "true" : "false");
}

void JsonWriter::Null() {
  Separate();
  out_ << "null";
}

}  // namespace heaptally
