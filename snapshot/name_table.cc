#include "snapshot/name_table.h"

#include "snapshot/format.h"

namespace heaptally {

NameTable::NameTable() {
  Intern("");
  location_begin_.push_back(0);
}

uint32_t NameTable::Intern(absl::string_view text) {
  // A NUL would end the string early in the file.
  text = text.substr(0, text.find('\0'));
  const auto found = offsets_.find(text);
  if (found != offsets_.end()) return found->second;
  const auto offset = static_cast<uint32_t>(strings_.size());
  strings_.insert(strings_.end(), text.begin(), text.end());
  strings_.push_back('\0');
  offsets_.emplace(text, offset);
  return offset;
}

uint32_t NameTable::AddLocation(absl::Span<const FrameName> frames) {
  for (const FrameName& frame : frames) {
    function_.push_back(Intern(frame.function));
    file_.push_back(Intern(frame.file));
    line_.push_back(frame.line);
    flags_.push_back(frame.inlined ? format::kFrameInlined : 0);
    module_.push_back(Intern(frame.module));
  }
  location_begin_.push_back(static_cast<uint32_t>(function_.size()));
  return static_cast<uint32_t>(location_begin_.size() - 2);
}

}  // namespace heaptally
