// Turns a status into what a person reads and a client understands. Pure
// functions.
#ifndef HEAPTALLY_INTEGRATION_VIEW_SENTENCE_H_
#define HEAPTALLY_INTEGRATION_VIEW_SENTENCE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace heaptally::view {

// With a capital letter, unless it begins with a path or the like, and a full
// stop.
std::string Sentence(absl::string_view text);

// The status of HTTP.
unsigned HttpStatusOf(const absl::Status& status);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_SENTENCE_H_
