// What a browser is to call a file that it saves. A pure function.
#ifndef HEAPTALLY_INTEGRATION_VIEW_DOWNLOAD_NAME_H_
#define HEAPTALLY_INTEGRATION_VIEW_DOWNLOAD_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace heaptally::view {

// The value of Content-Disposition for "NAME.heaptally": once in plain letters,
// once in UTF-8 (RFC 6266). No character of `name` can leave the quotes or the
// folder.
std::string AttachmentHeader(absl::string_view name);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_DOWNLOAD_NAME_H_
