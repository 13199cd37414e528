// The secret in the page's address. Pure functions; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_TOKEN_H_
#define HEAPTALLY_INTEGRATION_VIEW_TOKEN_H_

#include <string>

#include "absl/strings/string_view.h"

namespace heaptally::view {

// 128 random bits of the kernel's, as 32 hexadecimal digits.
std::string MakeToken();

// Takes the same time wherever the texts differ.
bool SameToken(absl::string_view a, absl::string_view b);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_TOKEN_H_
