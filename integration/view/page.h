// The page itself: one gzipped HTML file that the build has put into the tool,
// and the Content-Security-Policy that fits it. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_PAGE_H_
#define HEAPTALLY_INTEGRATION_VIEW_PAGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace heaptally::view {

absl::string_view PageGzipped();
// For clients that do not take gzip.
std::string PagePlain();
// One line.
absl::string_view PagePolicy();

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_PAGE_H_
