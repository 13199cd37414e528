// Writes JSON to a stream as it is made, indented by one space a level, small
// values on one line. The caller keeps begin and end in step. Not thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_JSON_WRITER_H_
#define HEAPTALLY_SNAPSHOT_JSON_WRITER_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace heaptally {

class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  // In an object every value or begin follows a Key. `flat` keeps everything
  // inside on one line.
  JsonWriter& Key(absl::string_view key);
  void BeginObject(bool flat = false) { Begin('{', flat); }
  void EndObject() { End('}'); }
  void BeginArray(bool flat = false) { Begin('[', flat); }
  void EndArray() { End(']'); }

  // Text in any encoding: what is no UTF-8 becomes U+FFFD.
  void String(absl::string_view text);
  void Number(uint64_t number);
  void Signed(int64_t number);
  void Real(double number);  // Null if it is not finite.
  void Bool(bool value);
  void Null();

 private:
  struct Level {
    bool flat;
    bool empty = true;
  };
  void Begin(char bracket, bool flat);
  void End(char bracket);
  void Separate();  // Comma and new line as needed before a value or key.
  void NewLine();

  std::ostream& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
  std::string buffer_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_JSON_WRITER_H_
