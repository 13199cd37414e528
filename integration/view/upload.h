// A file that the browser sends: written into the session folder as it arrives,
// then read like any other. Thread-safe for distinct uploads.
#ifndef HEAPTALLY_INTEGRATION_VIEW_UPLOAD_H_
#define HEAPTALLY_INTEGRATION_VIEW_UPLOAD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "integration/view/http_message.h"
#include "integration/view/session.h"

namespace heaptally::view {

// `bytes`: how many will come, if that is known. `name` is shown, and never a
// path of ours.
BodyPlan PlanUpload(Session& session, std::string name,
                    std::optional<uint64_t> bytes);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_UPLOAD_H_
